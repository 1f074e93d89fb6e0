// All about the selected node.

import { barsOf, errorText, splitName } from "./card.mjs";
import { bdi, breakable, FONT, html, svg } from "./dom.mjs";
import { hasHistogram, histogramParts } from "./histogram.mjs";
import { modelTables } from "./linear_model.mjs";
import { formatCount, formatShare, formatThreshold, levelText, oneLine, plural, shortened } from "./number_text.mjs";
import { edgeText, pandasText, phrase, regionOf, regionsOf, ruleText, sqlText } from "./region.mjs";
import { EVERY_BRANCH, STOP } from "./tree.mjs";

const MOST_LEVELS = 30;
const MOST_CLASSES = 12;

/** The contents of the panel for a node. */
export function panelOf(page, v) {
  const { tree } = page;
  return [
    html("h2", {}, html("span", { class: "chip", style: `background:${page.look.colour(v)}` }), bdi(shortened(tree.shortAnswer(v), 120)),
      html("span", { class: "quiet" }, `${tree.equations && !tree.classes ? " on average," : ""} node ${v}${tree.isLeaf(v) ? ", leaf" : ""}`)),
    sentence(page, v),
    evidence(page, v),
    tree.classes ? bars(page, v) : null,
    ...modelTables(tree, v, page.state.trail?.has(v) ? page.state.row : null),
    holdout(page, v),
    tree.isLeaf(v) ? null : splitPart(page, v),
    competitors(page, v),
    copying(page, v),
  ].filter(Boolean);
}

/** The path as a sentence, each test a link to the node it leads to. */
function sentence(page, v) {
  const { tree } = page;
  const regions = regionsOf(tree, v);
  const tests = regions.flatMap((region, i) => [i ? " and " : "", longText(phrase(region, MOST_LEVELS), phrase(region))]);
  return html("p", { class: "sentence" }, ...(tests.length ? ["If ", ...tests, " then "] : ["All rows: "]),
    html("b", {}, bdi(tree.targetName), " = ", bdi(tree.answer(v))), ".");
}

/** A text that may be cut, with all of it one step away. */
function longText(text, whole = text) {
  if (text === whole && text.length <= 300) return bdi(text);
  return html("details", { class: "long" }, html("summary", {}, bdi(text.length > 300 ? `${text.slice(0, 300)}…` : text)), bdi(whole));
}

function evidence(page, v) {
  const { tree } = page;
  const rows = tree.rows[v];
  const facts = [["rows", `${formatCount(rows)} (${formatShare(rows / (tree.rows[0] || 1))} of all)`]];
  if (Math.abs(tree.weight[v] - rows) > 1e-6 * Math.max(rows, 1)) facts.push(["weight", formatCount(tree.weight[v])]);
  if (tree.classes) facts.push(["training error", formatShare(tree.error(v))]);
  else {
    facts.push([tree.equations ? "mean" : "prediction", tree.number(tree.value[v])]);
    facts.push([tree.view.leaf === "medians" ? "mean distance from it" : "standard deviation", tree.number(tree.spread[v])]);
  }
  if (tree.equations && !tree.classes) facts.push(["error of the model", tree.number(tree.error(v))]);
  if (!rows) facts.push(["no rows in training", "the answer comes from above"]);
  return list(facts);
}

function list(facts) {
  return html("dl", {}, ...facts.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)]));
}

/** Each class with its share and its weight. */
function bars(page, v) {
  const { tree, look } = page;
  const stats = tree.statsOf(v);
  const isMany = tree.classes.length > MOST_CLASSES;
  const rows = barsOf(look, v, MOST_CLASSES).filter(({ share }) => share > 0 || !isMany).map(({ k, text, share, colour }) => html("tr", {},
    html("th", { scope: "row" }, breakable(shortened(text, 60))),
    html("td", { class: "bar" }, html("span", { style: `width:${100 * share}%;background:${colour}` })),
    html("td", {}, formatShare(share)),
    html("td", { class: "quiet" }, k >= 0 ? formatCount(stats[k]) : "")));
  return html("table", { class: "bars" }, html("caption", {}, "Classes at this node"), html("tbody", {}, ...rows));
}

function holdout(page, v) {
  const { tree } = page;
  if (!tree.holdout) return null;
  const [rows, error] = [tree.holdout.rows[v], tree.holdout.errors[v]];
  if (!rows) return html("p", { class: "quiet" }, "No hold-out row came by.");
  const most = Math.max(tree.error(v), error, tree.classes ? 0.01 : 1e-12);
  const row = (name, value, kind) => html("tr", {}, html("th", { scope: "row" }, name),
    html("td", { class: "bar" }, html("span", { class: kind, style: `width:${(100 * value) / most}%` })), html("td", {}, errorText(tree, value)));
  return html("table", { class: "bars" }, html("caption", {}, `Error, with ${plural(rows, "hold-out row")}`),
    html("tbody", {}, row("training", tree.error(v), "solid"), row("hold-out", error, "outlined"),
      tree.holdout.differs[v] ? html("tr", {}, html("td", { colspan: 3, class: "warning" }, "The training value lies outside the interval of the hold-out's.")) : null));
}

/** The test of the node, its branches, and where missing values go. */
function splitPart(page, v) {
  const { tree } = page;
  const test = tree.testText(v) || tree.splitScore(v);
  const order = tree.children(v);
  const rows = order.map((child) => html("tr", {},
    html("td", {}, html("button", { type: "button", class: "link", onclick: () => page.choose(child) }, longText(edgeText(tree, child, 8)))),
    html("td", {}, bdi(shortened(tree.shortAnswer(child), 24))),
    html("td", { class: "number" }, formatCount(tree.rows[child]))));
  return html("section", {},
    html("h3", {}, "Asks: ", bdi(splitName(tree, v)), html("span", { class: "quiet" }, ` ${test}`)),
    histogram(page, v),
    html("table", { class: "branches" }, html("thead", {}, html("tr", {}, ...["branch", "predicts", "rows"].map((name) => html("th", { scope: "col" }, name)))), html("tbody", {}, ...rows)),
    ...missingRule(tree, v));
}

/** The tested column at the node, with the cut. */
function histogram(page, v) {
  if (!hasHistogram(page.tree, v)) return null;
  const [w, h] = [page.panel.clientWidth || 310, 92];
  const label = `Values of ${splitName(page.tree, v)} at this node`;
  return svg("svg", { class: "histogram", role: "img", "aria-label": label, width: w, height: h }, ...histogramParts(page.look, v, 2, 2, w - 4, h - 4, FONT.small));
}

function missingRule(tree, v) {
  const way = tree.split(v).branchOf[0];
  const count = tree.missingAt(v);
  const seen = count ? `${plural(count, "training row")} had no value here` : "none seen in training";
  const where = way === EVERY_BRANCH ? "go down every branch, by share" : way === STOP ? "stop here" : `go to node ${tree.firstChild[v] + way}`;
  const surrogates = tree.surrogatesOf(v).map(({ split, agreement }) => {
    const words = tree.children(v).map((child, branch) => {
      const region = { ...regionOf(split, branch), seen: false };
      return region.intervals.length || region.levels.some(Boolean) ? `${phrase(region, 6)} → ${child}` : "";
    });
    return html("li", {}, bdi(words.filter(Boolean).join(", ")), html("span", { class: "quiet" }, ` agrees on ${formatShare(agreement)}`));
  });
  return [
    html("p", { class: "missing-rule" }, `Missing values ${surrogates.length ? "go by surrogates; if these are missing too, they " : ""}${where} (${seen}).`),
    surrogates.length ? html("ol", { class: "surrogates" }, ...surrogates) : null,
  ];
}

function competitors(page, v) {
  const rows = page.tree.view.competitors[v];
  if (!rows?.length) return null;
  return html("section", {}, html("h3", {}, "Competing splits"), html("ol", { class: "competing" },
    ...rows.map(([column, score, split, isTaken]) => html("li", { class: isTaken ? "taken" : "" },
      bdi(shortened(oneLine(column), 60)), html("span", { class: "quiet" }, ` ${score}${isTaken ? ", taken" : ""}`),
      html("div", { class: "quiet" }, longText(shortened(split, 160), split))))));
}

/** Buttons that copy the path. */
function copying(page, v) {
  const { tree } = page;
  const ways = [["rule", ruleText], ["SQL", sqlText], ["pandas", pandasText]];
  const shown = html("pre", { class: "copied", hidden: true });
  const buttons = ways.map(([name, make]) => html("button", {
    type: "button", "data-copy": name.toLowerCase(),
    onclick: async (event) => {
      const text = make(tree, v);
      shown.textContent = text;
      shown.hidden = false;
      const isCopied = await copied(text);
      event.target.textContent = isCopied ? `${name}: copied` : `${name}: below`;
    },
  }, name));
  return html("section", { class: "copy" }, html("div", { class: "buttons" }, "Copy as", ...buttons), shown);
}

/** Put a text on the clipboard; frames may not be allowed to. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = html("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}
