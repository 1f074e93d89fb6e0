// The tree as nodes and edges: drawn where it is seen, moved, zoomed and walked.

import { fittedLabel, labelAttempts } from "./branch_label.mjs";
import { card, outlineCard } from "./card.mjs";
import { FONT, label, svg, textWidth } from "./dom.mjs";
import { downward, elbow, rightward } from "./edge_path.mjs";
import { extent, isMore, LABEL_ROOM, nodeOf, placed, shownChildren, walked } from "./layout.mjs";
import { formatCount, plural } from "./number_text.mjs";
import { followPointer } from "./pointer.mjs";
import { edgeText, ruleText } from "./region.mjs";
import { EVERY_BRANCH } from "./tree.mjs";

const LEAST = 0.05;
const MOST = 3;
const WIDEST = 22; // pixels of an edge that all rows take
const MOST_DOWN = 16; // leaves beyond which the tree grows to the right
const LEGIBLE = 0.71; // scale at which cards say all that matters
const LEAST_FRAMED = 0.45; // scale below which a path is not shown as a whole
const PAPER = { width: 800, height: 980 }; // pixels of a sheet that a tree may take
const PAPER_MARGIN = 22;
const LEAST_LABEL = 24; // pixels of a label
const NARROW = 480; // pixels below which the tree is an outline
const LONGEST_OUTLINE = 40; // lines of the first view
const FOLD_MARK = 44; // pixels that reach beyond a folded node
const LEAST_ROOM = 56; // pixels of the labels of edges to the right

export class Detail {
  /** ``page`` tells what is opened, selected and faded; ``host`` is the element to draw in. */
  constructor(page, host) {
    this.page = page;
    this.host = host;
    this.edges = svg("g", { class: "edges", "aria-hidden": "true" });
    this.cards = svg("g", { class: "cards", role: "presentation" });
    this.picture = svg("svg", {
      class: "picture", role: "tree", tabindex: 0, "aria-label": `Tree that predicts ${page.tree.targetName}`,
    }, this.edges, this.cards);
    host.append(this.picture);
    this.view = { x: 0, y: 0, k: 1 };
    this.isFitted = true; // until somebody moves it
    followPointer(this);
  }

  /** Down while that can be read, else to the right; an outline where the room is narrow. */
  #direction() {
    const { state, tree } = this.page;
    if (this.width < NARROW) return "outline";
    if (state.direction) return state.direction;
    const leaves = walked(tree, state).filter((v) => isMore(v) || !state.opened.has(v)).length;
    if (leaves > MOST_DOWN) return "right";
    const [down, right] = ["down", "right"].map((way) => this.#scale(this.#placed(way), way));
    return down < LEGIBLE && right > down ? "right" : "down";
  }

  #placed(direction) {
    const { tree, state } = this.page;
    return placed(tree, state, direction, this.width - 24, direction === "right" ? this.#labelRoom() : undefined);
  }

  /** What labels of edges to the right need, at the smallest scale at which cards are read. */
  #labelRoom() {
    const { tree, state } = this.page;
    const shown = walked(tree, state).filter((v) => v > 0);
    const widest = shown.reduce((most, v) => Math.max(most, textWidth(labelAttempts(tree, v)[0].slice(0, 60), FONT.small)), 0);
    return Math.min(LABEL_ROOM, Math.max(LEAST_ROOM, widest / LEGIBLE + 8));
  }

  #scale(places, direction) {
    const { width, height } = extent(places);
    const [w, h] = this.#roomIn(direction);
    return Math.min(w / width, h / height);
  }

  /** Where the tree may stand: beside it are the marks of folded nodes. */
  #roomIn(direction) {
    const marks = direction === "right" ? FOLD_MARK : 0;
    return [this.width - 32 - marks, this.height - 40];
  }

  /** The room to draw in: that of the element, or of paper. */
  get width() {
    return this.paper?.width ?? this.host.clientWidth;
  }

  get height() {
    return this.paper?.height ?? this.host.clientHeight;
  }

  /** All of what is shown onto paper, as large as it fits; ``back`` undoes that. */
  toPaper() {
    const { view, used, isFitted } = this;
    const back = () => {
      this.paper = null;
      Object.assign(this, { view, used, isFitted });
      this.arrange();
      this.draw();
    };
    this.paper = PAPER;
    this.used = used === "outline" ? used : ["down", "right"].reduce((best, way) => (this.#onPaper(way) > this.#onPaper(best) ? way : best));
    this.arrange();
    const { width, height } = extent(this.places);
    const k = used === "outline" ? 1 : this.#onPaper(this.used);
    this.paper = { ...PAPER, height: Math.ceil(k * height) + 2 * PAPER_MARGIN };
    if (used !== "outline") this.view = { k, x: Math.max(PAPER_MARGIN, (this.paper.width - FOLD_MARK - k * width) / 2), y: PAPER_MARGIN };
    this.draw();
    return back;
  }

  #onPaper(direction) {
    return Math.min(1, this.#scale(this.#placed(direction), direction));
  }

  // ---- where things are --------------------------------------------------------------------------------------------

  /** Places anew. The direction stays until the tree is fitted again, so that folding does not turn it. */
  arrange() {
    this.places = this.#placed(this.used);
    this.labelRoom = this.used === "right" ? this.#labelRoom() : 0;
    if (this.used === "outline") this.view = { x: 12, y: 12, k: 1 };
  }

  /** The whole of what is shown, as large as it fits. */
  fit() {
    this.isFitted = true;
    this.used = this.#direction();
    this.host.classList.toggle("outlined", this.used === "outline");
    this.arrange();
    if (this.used !== "outline") {
      const { width, height } = extent(this.places);
      const [w, h] = this.#roomIn(this.used);
      const k = Math.max(LEAST, Math.min(1.25, w / width, h / height));
      this.view = { k, x: (this.width - k * width) / 2, y: Math.max(20, (this.height - k * height) / 2) };
      if (this.used === "right") this.view.x = Math.max(16, Math.min(this.view.x, 40, 16 + w - k * width));
    }
    this.draw();
  }

  /** Whether what is shown can be read when it is fitted. An outline always can, as long as it is short. */
  isLegible() {
    this.used = this.#direction();
    if (this.used === "outline") return walked(this.page.tree, this.page.state).length <= LONGEST_OUTLINE;
    return this.#scale(this.#placed(this.used), this.used) >= LEGIBLE;
  }

  /** Draw again with a node where it was on the screen. */
  keeping(v, change) {
    const before = this.places.get(v);
    this.isFitted = false;
    change();
    this.arrange();
    const after = this.places.get(v);
    if (before && after && this.used !== "outline") {
      this.view.x += this.view.k * (before.x - after.x);
      this.view.y += this.view.k * (before.y - after.y);
    }
    this.draw();
  }

  /** Move a node into sight, if it is not, at a size at which it can be read. */
  reveal(v) {
    this.arrange();
    const place = this.places.get(v);
    if (!place) return;
    if (this.used === "outline") {
      this.draw();
      const top = place.y + this.view.y;
      if (top < this.host.scrollTop || top + place.h > this.host.scrollTop + this.height) this.host.scrollTop = top - 60;
      return;
    }
    if (this.view.k < 0.45) {
      this.view.k = 0.8;
      this.isFitted = false;
    }
    const { k } = this.view;
    const [w, h] = [this.width, this.height];
    const [x, y] = [this.view.x + k * place.x, this.view.y + k * place.y];
    const isAside = x < 10 || x + k * place.w > w - 10;
    const isAbove = y < 24 || y + k * place.h > h - 24;
    if (isAside) this.view.x += w / 2 - (x + (k * place.w) / 2);
    if (isAbove) this.view.y += h / 2 - (y + (k * place.h) / 2);
    this.isFitted &&= !isAside && !isAbove;
    this.draw();
  }

  /** All of some nodes into sight, smaller if need be, as long as they can still be read. */
  frame(nodes) {
    const places = nodes.map((v) => this.places.get(v)).filter(Boolean);
    if (this.used === "outline" || !places.length) return;
    const [w, h] = [this.width, this.height];
    const isSeen = (at) => at.x >= 0 && at.x + at.w <= w && at.y >= 0 && at.y + at.h <= h;
    if (places.every((place) => isSeen(this.#onScreen(place)))) return;
    const [left, top] = [Math.min(...places.map(({ x }) => x)), Math.min(...places.map(({ y }) => y))];
    const { width, height } = extent(new Map(places.map((place, i) => [i, { ...place, x: place.x - left, y: place.y - top }])));
    const k = Math.min(this.view.k, (w - 40 - FOLD_MARK) / width, (h - 56) / height);
    if (k < LEAST_FRAMED) return;
    this.isFitted = false;
    this.view = { k, x: (w - k * width) / 2 - k * left, y: (h - k * height) / 2 - k * top };
    this.draw();
  }

  zoom(factor, cx = this.width / 2, cy = this.height / 2) {
    if (this.used === "outline") return;
    this.isFitted = false;
    const k = Math.min(MOST, Math.max(LEAST, this.view.k * factor));
    const part = k / this.view.k;
    this.view = { k, x: cx - part * (cx - this.view.x), y: cy - part * (cy - this.view.y) };
    this.draw();
  }

  // ---- drawing -----------------------------------------------------------------------------------------------------

  draw() {
    const { tree, state } = this.page;
    const { width: w, height: h } = this;
    const size = this.used === "outline" ? extent(this.places).height + 24 : h;
    this.picture.setAttribute("width", w);
    this.picture.setAttribute("height", size);
    this.picture.setAttribute("viewBox", `0 0 ${w} ${size}`); // paper may be narrower than the window
    this.marks = this.used === "right" ? this.#marksShown() : [];
    const cards = [];
    const edges = [];
    for (const [v, place] of this.places) {
      const at = this.#onScreen(place);
      const above = isMore(v) ? nodeOf(v) : tree.parent[v];
      const isSeen = this.used === "outline" || (at.x < w + 40 && at.x + at.w > -40 && at.y < h + 40 && at.y + at.h > -40);
      if (isSeen) cards.push(this.#card(v, at));
      if (above >= 0) {
        const from = this.#onScreen(this.places.get(above));
        if (isSeen || this.#crosses(from, at, w, h)) edges.push(...this.#edge(v, above, from, at, isSeen));
      }
    }
    this.edges.replaceChildren(...edges);
    this.cards.replaceChildren(...cards);
    this.picture.setAttribute("aria-activedescendant", this.#id(state.selected));
    this.page.drawn();
  }

  #onScreen({ x, y, w, h }) {
    const { k } = this.view;
    return { x: this.view.x + k * x, y: this.view.y + k * y, w: k * w, h: this.used === "outline" ? h : k * h };
  }

  #crosses(from, to, w, h) {
    return Math.min(from.x, to.x) < w && Math.max(from.x, to.x) > 0 && Math.min(from.y, to.y) < h && Math.max(from.y, to.y) > 0;
  }

  #id(v) {
    return `${this.page.id}-node-${isMore(v) ? `more${nodeOf(v)}` : v}`;
  }

  #card(v, at) {
    const { page } = this;
    const { tree, state } = page;
    const classes = ["card", v === state.selected && "selected", page.isFaded(v) && "faded", page.isMatch(v) && "match",
      state.trail?.has(v) && "trail"].filter(Boolean).join(" ");
    const item = svg("g", { class: classes, id: this.#id(v), "data-node": v, role: "treeitem", transform: `translate(${at.x} ${at.y})`, ...this.#aria(v) });
    item.append(...(this.used === "outline" ? this.#row(v, at) : card(page.look, v, at.w, at.h)));
    if (!isMore(v) && !tree.isLeaf(v) && at.w > 50) item.append(this.#foldMark(v, at));
    return item;
  }

  #aria(v) {
    const { tree, state } = this.page;
    if (isMore(v)) return { "aria-label": "more branches", "aria-level": tree.depth[nodeOf(v)] + 2 };
    const siblings = v ? tree.nBranches[tree.parent[v]] : 1;
    return {
      "aria-level": tree.depth[v] + 1, "aria-setsize": siblings, "aria-posinset": v ? tree.branch(v) + 1 : 1,
      "aria-selected": v === state.selected, "aria-expanded": tree.isLeaf(v) ? null : state.opened.has(v),
      "aria-label": `node ${v}: ${ruleText(tree, v)}, ${plural(tree.rows[v], "row")}`,
    };
  }

  #row(v, at) {
    const { tree, look } = this.page;
    const test = v > 0 ? `${this.page.splitNameAbove(v)}: ${edgeText(tree, v, 3)}` : "all rows";
    return outlineCard(look, v, at.w, at.h, test, !isMore(v) && !tree.isLeaf(v) ? 50 : 0);
  }

  #foldMark(v, at) {
    const { state, look } = this.page;
    const isOpen = state.opened.has(v);
    const { text, w } = this.#markOf(v);
    const [x, y] = this.used === "down" ? [at.w / 2 - w / 2, at.h - 4] : this.used === "right" ? [at.w - 4, at.h / 2 - 9] : [at.w - w - 6, 4];
    return svg("g", { class: isOpen ? "fold open" : "fold", "data-fold": v, transform: `translate(${x} ${y})` },
      svg("rect", { width: w, height: 18, rx: 9, fill: look.paper, stroke: look.faint }),
      label(text, w / 2, 13, FONT.small, "middle", look.inkColour),
      svg("rect", { class: "target", x: -4, y: -4, width: w + 8, height: 26, fill: "transparent" }));
  }

  #edge(v, above, from, to, isSeen) {
    const { page } = this;
    const { tree, state, look } = page;
    const d = this.used === "outline" ? elbow(from, to) : this.used === "down" ? downward(from, to) : rightward(from, to);
    const rows = isMore(v) ? 0 : tree.weight[v] / (tree.weight[0] || 1);
    const faded = page.isFaded(v) ? " faded" : "";
    const onTrail = state.trail?.has(v) ? " trail" : "";
    const parts = [svg("path", { class: `edge${faded}${onTrail}`, d, stroke: look.hairline, "stroke-width": 1.2 })];
    if (state.widths && this.used !== "outline" && rows * WIDEST > 1.2) {
      parts.push(svg("path", { class: `edge flow${faded}${onTrail}`, d, stroke: isMore(v) ? look.faint : look.colour(v), "stroke-width": WIDEST * rows }));
    }
    if (!isMore(v) && this.#takesMissing(v, above)) {
      parts.push(svg("path", { class: `edge missing${faded}`, d, stroke: look.inkColour, "stroke-width": 1.4, "stroke-dasharray": "2 5" }));
    }
    if (!isMore(v) && isSeen && this.used !== "outline") parts.push(...this.#edgeLabel(v, to, faded));
    return parts;
  }

  /** Whether rows without a value came this way in training. */
  #takesMissing(v, above) {
    const { tree } = this.page;
    if (!tree.missingAt(above)) return false;
    const way = tree.split(above).branchOf[0];
    return way === EVERY_BRANCH || way === tree.branch(v);
  }

  #edgeLabel(v, to, faded) {
    const { look, tree } = this.page;
    const { k } = this.view;
    const isDown = this.used === "down";
    const room = isDown ? to.w + 8 * k : this.labelRoom * k;
    if (room < LEAST_LABEL) return [];
    const { shown, font } = fittedLabel(tree, v, room);
    if (!shown) return [];
    const words = isDown ? label(shown, to.x + to.w / 2, to.y - 7, font, "middle", look.inkColour)
      : label(shown, to.x - 7, this.#beside(shown, font, to), font, "end", look.inkColour);
    words.setAttribute("class", `condition${faded}`);
    words.setAttribute("stroke", look.ground);
    return [words];
  }

  /** Where a label to the right stands: above its edge or, where the mark of a folded node is, below. */
  #beside(shown, font, to) {
    const [left, middle] = [to.x - 7 - textWidth(shown, font), to.y + to.h / 2];
    const isFree = (y) => !this.marks.some((mark) => left < mark.right && to.x > mark.left && y - 10 < mark.bottom && y + 3 > mark.top);
    const [above, below] = [middle - 5, middle + 13];
    return isFree(above) || !isFree(below) ? above : below;
  }

  /** The marks of nodes, to the right of them. */
  #marksShown() {
    const { tree } = this.page;
    const inner = [...this.places].filter(([v]) => !isMore(v) && !tree.isLeaf(v));
    return inner.map(([v, place]) => {
      const at = this.#onScreen(place);
      const middle = at.y + at.h / 2;
      return { left: at.x + at.w, right: at.x + at.w - 4 + this.#markOf(v).w, top: middle - 9, bottom: middle + 9 };
    });
  }

  /** What the mark says that folds or unfolds a node, and how wide it is. */
  #markOf(v) {
    const text = this.page.state.opened.has(v) ? "−" : `+${formatCount(this.page.nBelow[v])}`;
    return { text, w: Math.max(22, 10 + 7 * text.length) };
  }

  // ---- keys --------------------------------------------------------------------------------------------------------

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { page } = this;
    const v = page.state.selected;
    const [up, down, left, right] = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
    const isDown = this.used === "down";
    const acts = {
      [isDown ? up : left]: () => page.choose(Math.max(0, page.tree.parent[v])),
      [isDown ? down : right]: () => this.#toChild(v),
      [isDown ? left : up]: () => page.choose(this.#nextTo(v, -1)),
      [isDown ? right : down]: () => page.choose(this.#nextTo(v, 1)),
      Home: () => page.choose(0),
      End: () => page.choose(this.#order().at(-1)),
      Enter: () => page.toggle(v),
      " ": () => page.toggle(v),
      "+": () => this.#zoomAt(v, 1.25),
      "=": () => this.#zoomAt(v, 1.25),
      "-": () => this.#zoomAt(v, 0.8),
      0: () => this.fit(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Zoom around a node; afterwards it is in sight. */
  #zoomAt(v, factor) {
    const { x, y, w, h } = this.#onScreen(this.places.get(v));
    this.zoom(factor, x + w / 2, y + h / 2);
    this.reveal(v);
  }

  #toChild(v) {
    const { tree, state } = this.page;
    if (tree.isLeaf(v)) return;
    if (!state.opened.has(v)) this.page.toggle(v);
    this.page.choose(shownChildren(tree, v, state)[0]);
  }

  #order() {
    return walked(this.page.tree, this.page.state).filter((v) => !isMore(v));
  }

  /** The node before or after: on its level or, in an outline, on the next line. */
  #nextTo(v, step) {
    const { tree } = this.page;
    const order = this.#order().filter((u) => this.used === "outline" || tree.depth[u] === tree.depth[v]);
    return order[order.indexOf(v) + step] ?? v;
  }
}
