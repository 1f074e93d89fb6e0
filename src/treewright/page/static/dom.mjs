// Elements by name. Text is always set as text, so that names in the data are never read as HTML.

const SVG = "http://www.w3.org/2000/svg";
const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
export const FONT = { small: `11px ${FAMILY}`, normal: `12px ${FAMILY}`, bold: `600 13px ${FAMILY}`, boldSmall: `600 11px ${FAMILY}` };
const TO_THE_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u202e]/; // scripts that are written from right to left

/** An element of HTML: attributes, listeners ("onclick"), and children that are elements or text. */
export function html(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined) continue;
    else if (typeof value === "boolean" && !name.startsWith("aria-")) element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** A text whose direction does not disturb what is around it. */
export function label(text, x, y, font, anchor, fill) {
  const [, weight, size, family] = font.match(/^(?:(\d+) )?(\d+)px (.*)$/);
  const attributes = { x, y, "font-size": size, "font-weight": weight ?? null, "font-family": family, "text-anchor": anchor, fill, direction: "ltr" };
  return svg("text", attributes, TO_THE_LEFT.test(text) ? `\u2068${text}\u2069` : text);
}

let canvas = null;
const widths = new Map();

/** How many pixels wide a text is. */
export function textWidth(text, font) {
  const key = `${font}|${text}`;
  if (!widths.has(key)) {
    canvas ??= document.createElement("canvas").getContext("2d");
    canvas.font = font;
    if (widths.size > 20000) widths.clear();
    widths.set(key, canvas.measureText(text).width);
  }
  return widths.get(key);
}

/** The text, cut with an ellipsis to so many pixels: at its end or, where names may differ there, in the middle. */
export function fitted(text, pixels, font, { middle = false } = {}) {
  const letters = text.length > 400 ? [...text.slice(0, 200), ...text.slice(-200)] : [...text];
  const cut = (most) => {
    const end = middle ? Math.floor(most / 2.5) : 0;
    return `${letters.slice(0, most - end).join("").trimEnd()}…${end ? letters.slice(-end).join("") : ""}`;
  };
  if (text.length <= 400 && textWidth(text, font) <= pixels) return text;
  let [low, high] = [0, letters.length];
  while (low < high) {
    const most = Math.ceil((low + high) / 2);
    if (textWidth(cut(most), font) <= pixels) low = most;
    else high = most - 1;
  }
  return low ? cut(low) : "";
}

/** Text from the data, whose direction does not disturb the words around it. */
export function bdi(text) {
  return html("bdi", {}, text);
}

/** A name that is broken behind hyphens and the like, if it has to be. */
export function breakable(text) {
  return html("bdi", {}, ...text.split(/(?<=[_/.-])/).flatMap((piece, i) => (i ? [html("wbr"), piece] : [piece])));
}
