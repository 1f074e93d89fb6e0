// What is seen, as a file: SVG with its style written into it, or PNG.

import { html, svg } from "./dom.mjs";

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "paint-order", "font", "display"];

/** The picture as a text of SVG that needs no other file. */
export function pictureText(picture, title, ground) {
  const copy = picture.cloneNode(true);
  const [w, h] = [picture.clientWidth || Number(picture.getAttribute("width")), Number(picture.getAttribute("height"))];
  const originals = picture.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    element.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${w} ${h}`);
  copy.setAttribute("role", "img");
  copy.removeAttribute("style");
  copy.prepend(svg("title", {}, title), svg("rect", { width: w, height: h, fill: ground }));
  return new XMLSerializer().serializeToString(copy);
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
