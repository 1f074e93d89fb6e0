// The tools above a tree, and the legend below it.

import { bdi, html } from "./dom.mjs";
import { formatCount, formatShare } from "./number_text.mjs";
import { colourings, MOST_HUES, OTHER } from "./palette.mjs";

/** The tools above a tree. */
export function toolbarOf(page) {
  const button = (part, text, label, act) => html("button", { type: "button", "data-part": part, "aria-label": label, title: label, onclick: act }, text);
  page.search = html("input", {
    type: "search", "data-part": "search", placeholder: "Search  ( / )", "aria-label": "Search columns, levels, predictions and node numbers",
    oninput: () => page.soon("find", () => page.find()), onkeydown: (event) => page.searchKey(event),
  });
  page.found = html("span", { class: "found", role: "status" });
  page.depthText = html("output", { "data-part": "depth-value" });
  page.ways = colourings(page.tree, "#ffffff");
  page.state.colour = page.ways[0].name;
  page.foldButton = button("fold", "Fold", "Fold or unfold the selected node (Enter)", () => page.toggle(page.state.selected));
  return html("div", { class: "toolbar", role: "toolbar", "aria-label": "Tools" },
    html("span", { class: "group searching" }, page.search, page.found),
    html("span", { class: "group", "data-part": "depth" }, "Depth", button("depth-less", "−", "One level less ([)", () => page.deeper(-1)), page.depthText,
      button("depth-more", "+", "One level more (])", () => page.deeper(1))),
    html("span", { class: "group" }, page.foldButton, button("fit", "Fit", "Fit what is shown into view (0)", () => page.detail.fit()),
      button("turn", "Turn", "Grow down or to the right", () => page.turn())),
    slider(page, "support", "Rows ≥", (x) => Math.round(page.tree.rows[0] ** (x / 100) - (x === 0 ? 1 : 0)), (x) => formatCount(x)),
    slider(page, "confidence", page.tree.classes ? "Share ≥" : "Explained ≥", (x) => x / 100, (x) => formatShare(x)),
    html("label", { class: "group" }, "Colour", html("select", { "data-part": "colour", onchange: (event) => page.recolour(event.target.value) },
      ...page.ways.map(({ name, short }) => html("option", { value: name }, short)))),
    html("label", { class: "group" }, html("input", { type: "checkbox", checked: true, "data-part": "widths", onchange: (event) => { page.state.widths = event.target.checked; page.refresh(); } }), "edge width"),
    html("span", { class: "group" }, "Save", button("save", "SVG", "Save what is seen as SVG", () => page.save("svg")), button("save-png", "PNG", "Save what is seen as PNG", () => page.save("png")),
      button("help", "?", "Keys (?)", () => page.help.showModal())));
}

function slider(page, name, text, value, words) {
  const told = html("output", {}, words(value(0)));
  return html("label", { class: "group slider" }, text, html("input", {
    type: "range", min: 0, max: 100, value: 0, "data-part": name,
    oninput: (event) => {
      page.state[name] = value(Number(event.target.value));
      told.textContent = words(page.state[name]);
      page.fade();
    },
  }), told);
}

/** What colours and lines mean. */
export function legendOf(page, way) {
  const { tree } = page;
  const parts = [];
  if (way.name === "class") {
    const weights = [...tree.statsOf(0)];
    const isFew = weights.length <= MOST_HUES;
    const order = weights.map((_, k) => k).sort((a, b) => (isFew ? a - b : weights[b] - weights[a] || a - b));
    const named = isFew ? order : order.slice(0, MOST_HUES - 1);
    for (const k of named) {
      parts.push(html("span", { class: "key" }, html("i", { style: `background:${page.look.classColours[k]}` }), bdi(tree.texts[k].slice(0, 40))));
    }
    const rest = order.length - named.length;
    if (rest > 0) parts.push(html("span", { class: "key" }, html("i", { style: `background:${OTHER}` }), `${rest} other classes`));
    parts.push(html("span", { class: "quiet" }, "stronger: purer"));
  } else {
    parts.push(html("span", {}, `${way.text}:`), html("span", {}, way.ends[0]), html("i", { class: "ramp", style: `background:linear-gradient(90deg,${way.ramp.join(",")})` }), html("span", {}, way.ends[1]));
  }
  if (page.state.widths) parts.push(html("span", { class: "quiet" }, "edge width: rows"));
  if (tree.missing) parts.push(html("span", { class: "quiet" }, "dotted edge, “or ?”: missing values"));
  return parts;
}
