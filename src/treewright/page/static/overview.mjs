// The whole tree as an icicle: a strip per level, as wide as a node has rows. It is always there, and leads everywhere.

import { icicle } from "./layout.mjs";

export class Overview {
  constructor(page, canvas) {
    this.page = page;
    this.canvas = canvas;
    this.places = icicle(page.tree);
    this.hover = -1;
    canvas.addEventListener("pointerdown", (event) => this.#go(event));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.#go(event);
      else this.#point(this.at(event.offsetX, event.offsetY), event);
    });
    canvas.addEventListener("pointerleave", () => this.#point(-1));
  }

  #go(event) {
    const v = this.at(event.offsetX, event.offsetY);
    if (v >= 0) this.page.choose(v);
  }

  #point(v, event) {
    if (v !== this.hover) this.page.hint(v, event);
    this.hover = v;
  }

  /** The node under a point; below a leaf, the leaf. */
  at(x, y) {
    const { tree } = this.page;
    const [place, level] = [x / this.canvas.clientWidth, Math.floor(y / this.#step())];
    let v = 0;
    while (!tree.isLeaf(v) && tree.depth[v] < level) {
      const next = tree.children(v).find((child) => place < this.places.from[child] + this.places.size[child]);
      v = next ?? tree.children(v).at(-1);
    }
    return v;
  }

  #step() {
    return this.canvas.clientHeight / (this.page.tree.maxDepth + 1);
  }

  draw() {
    const { canvas, page } = this;
    const { tree, look, state } = page;
    const ratio = globalThis.devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const paint = canvas.getContext("2d");
    paint.scale(ratio, ratio);
    const step = this.#step();
    for (let v = 0; v < tree.size; v += 1) {
      const [x, width] = [this.places.from[v] * w, this.places.size[v] * w];
      const y = tree.depth[v] * step;
      if (width < 0.15) continue;
      paint.globalAlpha = page.isFaded(v) ? 0.15 : 1;
      paint.fillStyle = look.colour(v);
      paint.fillRect(x, y, width > 3 ? width - 0.7 : Math.max(width, 0.5), step > 5 ? step - 1 : step);
    }
    paint.globalAlpha = 1;
    for (const v of state.matches) this.#frame(paint, v, w, step, look.inkColour, 1);
    for (const v of state.trail?.keys() ?? []) this.#frame(paint, v, w, step, look.accent, 2);
    this.#frame(paint, state.selected, w, step, look.accent, 2.5);
  }

  #frame(paint, v, w, step, colour, widest) {
    const { tree } = this.page;
    const line = Math.min(widest, Math.max(1, step / 4)); // strips of a deep tree are thin
    paint.strokeStyle = colour;
    const width = Math.max(3, this.places.size[v] * w);
    paint.lineWidth = line;
    paint.strokeRect(this.places.from[v] * w + line / 2, tree.depth[v] * step + line / 2, width - line, Math.max(3, step - line));
  }
}
