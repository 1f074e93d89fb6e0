// What is seen, as a file: SVG with its style written into it, or PNG.

import { FONT, html, label, svg, textWidth } from "./dom.mjs";

// One by one, not "font": programs other than browsers read these too.
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "paint-order", "font-family", "font-size", "font-weight", "display"];
const FOOT = 26; // pixels of the legend

/** The picture with its legend as a text of SVG that needs no other file; ``look`` has its colours. */
export function pictureText(picture, title, legend, look) {
  const copy = picture.cloneNode(true);
  const [w, h] = [picture.clientWidth || Number(picture.getAttribute("width")), Number(picture.getAttribute("height"))];
  const originals = picture.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    element.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("height", h + FOOT);
  copy.setAttribute("viewBox", `0 0 ${w} ${h + FOOT}`);
  copy.setAttribute("role", "img");
  copy.removeAttribute("style");
  copy.prepend(svg("title", {}, title), svg("rect", { width: w, height: h + FOOT, fill: look.ground }));
  copy.append(...legendShapes(legend, h + FOOT - 8, look));
  return new XMLSerializer().serializeToString(copy);
}

/** The words of a legend side by side, and the colours before them. */
function legendShapes(legend, y, look) {
  const shapes = [];
  let x = 14;
  for (const part of legend.children) {
    const colours = coloursOf(part);
    const size = colours.length > 1 ? 16 : 12;
    for (const fill of colours) {
      shapes.push(svg("rect", { x, y: y - 10, width: size, height: 12, fill, stroke: look.hairline, "stroke-width": 0.5 }));
      x += size;
    }
    const words = part.textContent.trim();
    if (words) shapes.push(label(words, x + (colours.length ? 4 : 0), y, FONT.small, "start", look.inkColour));
    x += textWidth(words, FONT.small) + 16;
  }
  return shapes;
}

/** The colours of a part of a legend: of a class, those of a ramp, or none. */
function coloursOf(part) {
  const shown = part.matches("i") ? part : part.querySelector("i");
  return shown ? shown.getAttribute("style").match(/#[0-9a-f]{6}/g) ?? [] : [];
}

export function saveSvg(text, name) {
  download(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
}

/** The same as dots, two for each pixel of the screen. */
export async function savePng(text, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = html("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  download(blob, `${name}.png`);
}

function download(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
