// The entry: show(container, view) puts a tree or a rule set into an element of any page.

import { Detail } from "./detail.mjs";
import { bdi, html } from "./dom.mjs";
import { isMore, nodeOf, nodesBelow, openedByRows, shownChildren, walked } from "./layout.mjs";
import { MembersPage } from "./members.mjs";
import { formatCount, oneLine, plural } from "./number_text.mjs";
import { Overview } from "./overview.mjs";
import { classColours, colourings } from "./palette.mjs";
import { panelOf } from "./panel.mjs";
import { conditionText, ruleText } from "./region.mjs";
import { explained, RowForm, rowOf } from "./row_form.mjs";
import { showRules } from "./rule_list.mjs";
import { pictureText, savePng, saveSvg } from "./save.mjs";
import { legendOf, toolbarOf } from "./toolbar.mjs";
import { Tree } from "./tree.mjs";

const MOST_SHOWN = 180; // nodes at once, so that the page stays light; the overview has all of them
const FIRST_SHOWN = [MOST_SHOWN, 120, 90, 60, 40, 30, 22, 15, 10, 7]; // nodes of the first view
const FIRST_DEPTHS = [Infinity, 8, 7, 6, 5, 4, 3, 2];
const KEYS = [
  ["arrows", "to the parent, a child or the next node"], ["Enter", "fold or unfold"], ["/", "search"],
  ["+ −", "zoom"], ["0", "fit"], ["[ ]", "one level less, one more"], ["Home", "the root"], ["?", "this list"],
];
let count = 0;

/** Show a view in a container; returns what a program can steer. */
export function show(container, view) {
  return VIEWS[view.kind](container, view);
}

/** The view that an element of the page holds: JSON or, where it is long, packed by zlib and written in base64. */
export async function viewIn(element) {
  if (element.type === "application/json") return JSON.parse(element.textContent);
  const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

export class TreePage {
  constructor(container, view) {
    count += 1;
    this.id = `tw${count}`;
    this.view = view;
    this.tree = new Tree(view);
    this.columns = view.columns;
    this.state = {
      selected: 0, opened: new Set(), whole: new Set(), matches: new Set(), trail: null, direction: null, widths: true,
      colour: null, support: 0, confidence: 0,
    };
    this.nBelow = nodesBelow(this.tree);
    this.waiting = new Set();
    this.isFirst = true; // nobody has changed what is shown
    this.ending = new AbortController();
    this.faded = new Uint8Array(this.tree.size);
    this.#build(container);
    this.restyle();
    this.detail = new Detail(this, this.host);
    this.overview = new Overview(this, this.canvas);
    this.openFirst();
    this.#tellSelected();
    this.detail.fit(); // the room is known now that all parts are filled
    this.#watch();
  }

  // ---- parts -------------------------------------------------------------------------------------------------------

  #build(container) {
    const { tree } = this;
    this.root = container;
    container.classList.add("tw");
    this.host = html("div", { class: "detail" });
    this.canvas = html("canvas", { class: "overview", "aria-hidden": "true" });
    this.panel = html("div", { class: "panel-node", "data-part": "panel", "aria-live": "polite" });
    this.form = new RowForm(this);
    this.status = html("span", { class: "status", role: "status" });
    this.legend = html("div", { class: "legend" });
    this.tip = html("div", { class: "tip", hidden: true });
    this.help = html("dialog", { class: "help" }, html("h2", {}, "Keys"),
      html("dl", {}, ...KEYS.flatMap(([key, words]) => [html("dt", {}, key), html("dd", {}, words)])),
      html("button", { type: "button", onclick: () => this.help.close() }, "Close"));
    const facts = tree.view.facts.join(" · ");
    container.replaceChildren(
      html("header", {}, html("h1", {}, bdi(this.view.title), ": ", bdi(tree.targetName.slice(0, 120))), html("p", { class: "facts" }, facts), this.#badge()),
      toolbarOf(this),
      html("div", { class: "overview-frame" }, this.canvas),
      html("div", { class: "body" },
        html("main", {}, this.host, html("footer", {}, this.legend, this.status)),
        html("aside", { "aria-label": "Selected node" }, this.panel,
          html("details", { class: "row", open: true }, html("summary", {}, "A row and its path"), this.form.element, this.form.result))),
      this.tip, this.help);
  }

  #badge() {
    const { holdout } = this.view;
    return holdout && html("span", { class: "badge" }, holdout.fact);
  }

  /** Colours as the style sheet has them, light or dark. */
  restyle() {
    const style = getComputedStyle(this.root);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const { tree } = this;
    const paper = colour("paper");
    this.ways = colourings(tree, paper);
    const way = this.ways.find(({ name }) => name === this.state.colour);
    const [low, high] = tree.classes ? [0, 1] : range(tree);
    this.look = {
      tree, paper, low, high, ground: colour("ground"), inkColour: colour("ink"), faint: colour("faint"), hairline: colour("hairline"), accent: colour("accent"),
      colour: way.colour, valueColour: this.ways[0].ofValue, edge: () => colour("hairline"), classColours: tree.classes ? classColours([...tree.statsOf(0)], paper) : [],
      hiddenBranches: (v) => { const shown = new Set(shownChildren(tree, v, this.state)); return tree.children(v).filter((child) => !shown.has(child)); },
    };
    this.legend.replaceChildren(...legendOf(this, way));
  }

  // ---- what is shown -----------------------------------------------------------------------------------------------

  /** As much of the tree as can be read at once, the nodes of most rows first, in whatever depth shows most of them. */
  openFirst() {
    let [best, most] = [openedByRows(this.tree, FIRST_SHOWN.at(-1)), 0];
    for (const depth of FIRST_DEPTHS) {
      for (const limit of FIRST_SHOWN) {
        this.state.opened = openedByRows(this.tree, limit, depth);
        const shown = walked(this.tree, this.state).length;
        if (shown <= most) break;
        if (this.detail.isLegible()) [best, most] = [this.state.opened, shown];
      }
    }
    this.state.opened = best;
    this.detail.fit();
  }

  toggle(v) {
    const { tree, state } = this;
    if (tree.isLeaf(v)) return;
    this.isFirst = false;
    this.detail.keeping(v, () => {
      if (state.opened.has(v)) {
        state.opened.delete(v);
        if (tree.path(state.selected).includes(v)) this.#select(v);
      } else {
        state.opened.add(v);
        this.#lighten(v);
      }
    });
    this.#tellSelected();
  }

  /** Close nodes of few rows that are not on the way to a node, while too many are shown. */
  #lighten(v) {
    const { tree, state } = this;
    const kept = new Set([...tree.path(v), ...tree.path(state.selected)]);
    const closing = [...state.opened].filter((u) => !kept.has(u)).sort((a, b) => tree.rows[a] - tree.rows[b]);
    while (walked(tree, state).length > MOST_SHOWN && closing.length) state.opened.delete(closing.shift());
  }

  /** Select a node and bring it into sight. */
  choose(v) {
    const { tree, state } = this;
    this.isFirst = false;
    if (isMore(v)) {
      this.detail.keeping(nodeOf(v), () => state.whole.add(nodeOf(v)));
      return;
    }
    for (const u of tree.path(v).slice(0, -1)) state.opened.add(u);
    this.#select(v);
    this.#lighten(v);
    this.detail.reveal(v);
    this.#tellSelected();
  }

  #select(v) {
    this.state.selected = v;
  }

  #tellSelected() {
    const { tree, state } = this;
    const v = state.selected;
    this.panel.replaceChildren(...panelOf(this, v));
    this.foldButton.disabled = tree.isLeaf(v);
    this.foldButton.textContent = state.opened.has(v) ? "Fold" : "Unfold";
    this.refresh();
  }

  /** One level more or less, for all nodes. */
  deeper(step) {
    const { tree, state } = this;
    const now = this.#depth();
    this.isFirst = false;
    const depth = Math.min(tree.maxDepth, Math.max(1, now + step));
    state.opened = openedByRows(tree, MOST_SHOWN, depth);
    while (tree.path(state.selected).some((u) => u !== state.selected && !state.opened.has(u))) this.#select(tree.parent[state.selected]);
    this.detail.fit();
    this.#tellSelected();
  }

  #depth() {
    return [...this.state.opened].reduce((most, v) => Math.max(most, this.tree.depth[v] + 1), 0);
  }

  turn() {
    this.isFirst = false;
    this.state.direction = this.detail.used === "down" ? "right" : "down";
    this.detail.fit();
  }

  recolour(name) {
    this.state.colour = name;
    this.restyle();
    this.#tellSelected();
  }

  // ---- search, fading, rows ----------------------------------------------------------------------------------------

  find() {
    const { tree, state } = this;
    const query = this.search.value.trim().toLowerCase();
    state.matches = new Set();
    if (query) {
      const number = query.replace(/^[#[]|\]$/g, "");
      this.#searched().forEach((words, v) => {
        if (String(v) === number || words.includes(query)) state.matches.add(v);
      });
    }
    this.found.textContent = query ? plural(state.matches.size, "node") : "";
    this.refresh();
  }

  /** What is searched of each node: the test that leads to it and, of a leaf, its answer. Made when first asked for. */
  #searched() {
    const { tree } = this;
    this.words ??= Array.from({ length: tree.size }, (_, v) => {
      const answer = tree.isLeaf(v) ? `${tree.targetName} = ${tree.answer(v)}` : "";
      return `${v ? conditionText(tree, v) : ""} ${answer}`.toLowerCase();
    });
    return this.words;
  }

  searchKey(event) {
    if (event.key === "Escape") {
      this.search.value = "";
      this.find();
      this.detail.picture.focus();
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.find();
    const { matches } = this.state;
    const exact = Number(this.search.value.trim().replace(/^[#[]|\]$/g, ""));
    const order = this.search.value.trim() && matches.has(exact) && exact !== this.state.selected ? [exact] : [...matches];
    if (!order.length) return;
    const at = order.indexOf(this.state.selected);
    this.choose(order[(at + (event.shiftKey ? order.length - 1 : 1)) % order.length]);
  }

  /** Nodes of too few rows fade, leaves that are not sure enough, and nodes all of whose children do. */
  fade() {
    const { tree, state } = this;
    for (let v = tree.size - 1; v >= 0; v -= 1) {
      const isSmall = tree.rows[v] < state.support;
      const isUnsure = tree.isLeaf(v) ? tree.confidence(v) < state.confidence : tree.children(v).every((child) => this.faded[child]);
      this.faded[v] = isSmall || isUnsure ? 1 : 0;
    }
    this.refresh();
  }

  isFaded(v) {
    return v >= 0 && this.faded[v] === 1;
  }

  isMatch(v) {
    return this.state.matches.has(v);
  }

  /** Show the path of a row, numbers and codes by column; the table of it. */
  explain(row) {
    const found = explained(this, row);
    this.state.row = row;
    this.follow(found.trail, found.leaf);
    return [found.table];
  }

  follow(trail, leaf) {
    this.state.trail = trail;
    if (!trail) this.state.row = null;
    if (!trail) {
      this.refresh();
      return;
    }
    this.choose(leaf);
    this.detail.frame([...trail.keys()]);
  }

  typicalRow() {
    return rowOf(this.tree, this.state.selected);
  }

  splitNameAbove(v) {
    const { tree } = this;
    return oneLine(tree.split(tree.parent[v]).column.name);
  }

  // ---- drawing -----------------------------------------------------------------------------------------------------

  refresh() {
    if (!this.overview) return;
    this.legend.replaceChildren(...legendOf(this, this.ways.find(({ name }) => name === this.state.colour)));
    this.detail.arrange();
    this.detail.draw();
    this.overview.draw();
  }

  /** What is to be done once before the next picture on the screen. */
  soon(name, act) {
    if (this.waiting.has(name)) return;
    this.waiting.add(name);
    requestAnimationFrame(() => { this.waiting.delete(name); act(); });
  }

  drawn() {
    const { tree, state } = this;
    const shown = walked(tree, state).filter((v) => v >= 0).length;
    this.depthText.textContent = `${this.#depth()} of ${tree.maxDepth}`;
    this.status.textContent = shown === tree.size ? `all ${plural(tree.size, "node")}` : `${formatCount(shown)} of ${plural(tree.size, "node")} shown; the strip above has all`;
  }

  /** A node's sentence beside the pointer. */
  hint(v, event) {
    this.tip.hidden = v < 0;
    if (v < 0) return;
    this.tip.textContent = `[${v}] ${ruleText(this.tree, v).slice(0, 400)} (${plural(this.tree.rows[v], "row")})`;
    const box = this.root.getBoundingClientRect();
    this.tip.style.left = `${Math.max(0, Math.min(event.clientX - box.left + 12, box.width - 360))}px`;
    this.tip.style.top = `${event.clientY - box.top + 18}px`;
  }

  save(kind) {
    const text = pictureText(this.detail.picture, `${this.view.title}: ${this.tree.targetName}`, this.legend, this.look);
    return kind === "png" ? savePng(text, "tree") : saveSvg(text, "tree");
  }

  /** Listen no more: another page takes the place. */
  close() {
    this.ending.abort();
  }

  #watch() {
    const { signal } = this.ending;
    let { clientWidth: width, clientHeight: height } = this.host;
    const observer = new ResizeObserver(() => {
      if (this.host.clientWidth === width && this.host.clientHeight === height) return;
      ({ clientWidth: width, clientHeight: height } = this.host);
      if (this.isFirst && this.host.clientWidth) this.openFirst(); // frames may get their size late
      else if (this.detail.isFitted) this.detail.fit();
      this.refresh();
    });
    observer.observe(this.host);
    signal.addEventListener("abort", () => observer.disconnect());
    for (const query of ["(prefers-color-scheme: dark)", "print"]) { // paper is white whatever the screen is
      matchMedia(query).addEventListener("change", () => { this.restyle(); this.#tellSelected(); }, { signal });
    }
    let back = null;
    addEventListener("beforeprint", () => { back ??= this.detail.toPaper(); }, { signal });
    addEventListener("afterprint", () => { back?.(); back = null; }, { signal });
    this.root.addEventListener("keydown", (event) => {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const acts = { "/": () => this.search.focus(), "?": () => this.help.showModal(), "[": () => this.deeper(-1), "]": () => this.deeper(1) };
      if (!acts[event.key]) return;
      event.preventDefault();
      acts[event.key]();
    });
    document.addEventListener("keydown", (event) => {
      if (event.target !== document.body || !["/", "?"].includes(event.key)) return;
      event.preventDefault();
      if (event.key === "/") this.search.focus();
      else this.help.showModal();
    }, { signal });
  }
}

/** By the kind of a view. Another kind of model gets a module of its own and a line here. */
const VIEWS = {
  tree: (container, view) => new TreePage(container, view), rules: showRules,
  members: (container, view) => new MembersPage(container, view, show),
};

/** From the lowest to the highest that bands of one deviation reach. */
function range(tree) {
  let [low, high] = [Infinity, -Infinity];
  for (let v = 0; v < tree.size; v += 1) {
    low = Math.min(low, tree.value[v] - tree.spread[v]);
    high = Math.max(high, tree.value[v] + tree.spread[v]);
  }
  return [low, high];
}
