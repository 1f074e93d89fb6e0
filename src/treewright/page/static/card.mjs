// One node as a card. What it shows depends on how many pixels it has: more room, more is said.

import { fitted, FONT, label, svg, textWidth } from "./dom.mjs";
import { hasHistogram, histogramParts } from "./histogram.mjs";
import { isMore, nodeOf } from "./layout.mjs";
import { formatCount, formatShare, oneLine, plural } from "./number_text.mjs";
import { ink, mixed } from "./palette.mjs";

const MOST_BARS = 4;
const PAD = 8;

/** The parts of a card of w × h pixels, its corner at the origin. */
export function card(look, v, w, h) {
  if (isMore(v)) return moreCard(look, nodeOf(v), w, h);
  if (w < 34 || h < 15) return [box(look, v, w, h, look.colour(v))];
  if (w < 114 || h < 34) return smallCard(look, v, w, h);
  if (h < 51) return compactCard(look, v, w, h);
  return h >= 100 ? largeCard(look, v, w, h) : fullCard(look, v, w, h);
}

function box(look, v, w, h, fill) {
  return svg("rect", { class: "box", width: w, height: h, rx: Math.min(7, h / 5), fill, stroke: look.edge(v) });
}

/** Two lines at most, on the node's colour. */
function smallCard(look, v, w, h) {
  const { tree } = look;
  const fill = look.colour(v);
  const parts = [box(look, v, w, h, fill)];
  const lines = [tree.isLeaf(v) ? tree.shortAnswer(v) : splitName(tree, v), `${tree.isLeaf(v) ? "" : `${tree.shortAnswer(v)} · `}${formatCount(tree.rows[v])}`];
  const shown = h < 32 ? lines.slice(0, 1) : lines;
  shown.forEach((line, i) => {
    const text = fitted(line, w - 8, FONT.small);
    parts.push(label(text, w / 2, h / 2 + 4 + 14 * (i - (shown.length - 1) / 2), FONT.small, "middle", ink(fill)));
  });
  return parts;
}

/** Two lines: what is asked and the prediction, the distribution and the rows. */
function compactCard(look, v, w, h) {
  const { tree } = look;
  const share = tree.classes && tree.isLeaf(v) ? formatShare(tree.confidence(v)) : "";
  const right = tree.isLeaf(v) ? share : fitted(tree.shortAnswer(v), w * 0.42, FONT.small);
  const room = w - 2 * PAD - 10 - textWidth(right, FONT.small);
  const [left, font] = tree.isLeaf(v) ? [tree.shortAnswer(v), FONT.bold] : [`${splitName(tree, v)}?`, FONT.normal];
  const rows = formatCount(tree.rows[v]);
  const y = Math.min(h - 7, 31);
  return [
    ...cardBase(look, v, w, h),
    label(fitted(left, room, font), PAD + 4, 15, font, "start", look.inkColour),
    label(right, w - PAD, 15, FONT.small, "end", look.inkColour),
    ...distribution(look, v, PAD + 4, y - 8, w - 2 * PAD - 14 - textWidth(rows, FONT.small), 7),
    label(rows, w - PAD, y, FONT.small, "end", look.faint),
  ];
}

/** The prediction and its share, the distribution, what is asked next, and the rows behind it. */
function fullCard(look, v, w, h) {
  const { tree } = look;
  const hasRoom = h >= 65;
  const asked = tree.isLeaf(v) ? [] : question(look, v, w, 45, !hasRoom);
  const below = tree.isLeaf(v) || hasRoom ? [...asked, ...evidence(look, v, w, tree.isLeaf(v) ? 45 : 59)] : asked;
  return [
    ...cardBase(look, v, w, h), ...headline(look, v, w, 17), ...distribution(look, v, PAD + 4, 25, w - 2 * PAD - 4, 7),
    ...below,
  ];
}

/** The same with the histogram of the tested column or, where there is none, a labelled bar for each class. */
function largeCard(look, v, w, h) {
  const { tree } = look;
  const parts = [...cardBase(look, v, w, h), ...headline(look, v, w, 19), ...evidence(look, v, w, 36)];
  const bottom = tree.isLeaf(v) ? h - 6 : h - 24;
  if (!tree.isLeaf(v)) parts.push(...question(look, v, w, h - 9, false));
  if (hasHistogram(tree, v)) parts.push(...histogramParts(look, v, PAD + 4, 44, w - 2 * PAD - 4, bottom - 46, FONT.small));
  else if (tree.classes) parts.push(...labelledBars(look, v, w, 44, bottom));
  else parts.push(...distribution(look, v, PAD + 4, 48, w - 2 * PAD - 4, 14), ...axisText(look, w, 76));
  return parts;
}

function cardBase(look, v, w, h) {
  return [
    box(look, v, w, h, mixed(look.paper, look.colour(v), 0.13)),
    svg("rect", { class: "stripe", width: 6, height: h - 8, y: 4, x: 3, rx: 3, fill: look.colour(v), stroke: look.hairline }),
  ];
}

function headline(look, v, w, y) {
  const { tree } = look;
  const share = tree.classes ? formatShare(tree.confidence(v)) : plural(tree.rows[v], "row");
  const room = w - 2 * PAD - 8 - textWidth(share, FONT.normal);
  const font = textWidth(tree.shortAnswer(v), FONT.bold) <= room ? FONT.bold : FONT.boldSmall;
  return [
    label(fitted(tree.shortAnswer(v), room, font), PAD + 4, y, font, "start", look.inkColour),
    label(share, w - PAD, y, FONT.normal, "end", look.inkColour),
  ];
}

/** The rows and how wrong the node is about them: as much of it as there is room for, and the node's number. */
function evidence(look, v, w, y) {
  const { tree } = look;
  const id = `[${v}]`;
  const room = w - 2 * PAD - 12 - textWidth(id, FONT.small);
  const words = [];
  if (!tree.rows[v]) words.push("no rows: as its parent");
  else if (tree.classes) words.push(plural(tree.rows[v], "row"));
  if (!tree.classes) words.push(`${tree.view.leaf === "medians" ? "MAE" : "sd"} ${tree.number(tree.spread[v])}`);
  else if (tree.error(v) > 1e-12) words.push(`${formatShare(tree.error(v))} wrong`);
  if (tree.holdout && tree.holdout.rows[v]) words.push(`hold-out ${errorText(tree, tree.holdout.errors[v])}`);
  if (!tree.isLeaf(v)) words.push(tree.splitScore(v));
  const shown = words.filter((_, i) => textWidth(words.slice(0, i + 1).join(" · "), FONT.small) <= room);
  return [label(shown.join(" · "), PAD + 4, y, FONT.small, "start", look.faint), label(id, w - PAD, y, FONT.small, "end", look.faint)];
}

/** The column that is tested, with the rows where nothing else says them and the name leaves room. */
function question(look, v, w, y, withRows) {
  const { tree } = look;
  const name = `${splitName(tree, v)}?`;
  const whole = w - 2 * PAD - 4;
  const rows = tree.classes && withRows ? formatCount(tree.rows[v]) : "";
  const beside = rows && textWidth(name, FONT.small) <= whole - 8 - textWidth(rows, FONT.small);
  const room = beside ? whole - 8 - textWidth(rows, FONT.small) : whole;
  const font = textWidth(name, FONT.normal) <= room ? FONT.normal : FONT.small;
  return [
    label(fitted(name, room, font), PAD + 4, y, font, "start", look.inkColour),
    ...(beside ? [label(rows, w - PAD, y, FONT.small, "end", look.faint)] : []),
  ];
}

/** Classes as one bar, the largest few and one for all others; of numbers, the mean and a band of one deviation. */
function distribution(look, v, x, y, w, h) {
  const { tree } = look;
  if (!tree.classes) return band(look, v, x, y, w, h);
  const parts = [];
  let at = x;
  for (const { share, colour } of barsOf(look, v)) {
    if (share * w >= 0.5) parts.push(svg("rect", { x: at, y, width: share * w, height: h, fill: colour, stroke: look.paper, "stroke-width": 0.6 }));
    at += share * w;
  }
  return parts;
}

/** The shares of the classes in their order; of many, those of the largest and of all others together. */
export function barsOf(look, v, most = MOST_BARS) {
  const { tree } = look;
  const shares = [...tree.sharesOf(v)];
  let chosen = shares.map((_, k) => k);
  if (shares.length > most) {
    chosen = [...chosen].sort((a, b) => shares[b] - shares[a] || a - b).slice(0, most - 1).sort((a, b) => a - b);
  }
  const bars = chosen.map((k) => ({ k, text: tree.texts[k], share: shares[k], colour: look.classColours[k] }));
  const rest = 1 - bars.reduce((sum, bar) => sum + bar.share, 0);
  if (shares.length > most && rest > 1e-9) bars.push({ k: -1, text: `${shares.length - chosen.length} others`, share: rest, colour: "#b9bdc4" });
  return bars;
}

function band(look, v, x, y, w, h) {
  const { tree } = look;
  const at = (value) => x + w * Math.min(1, Math.max(0, (value - look.low) / (look.high - look.low || 1)));
  const [from, to] = [at(tree.value[v] - tree.spread[v]), at(tree.value[v] + tree.spread[v])];
  return [
    svg("line", { x1: x, x2: x + w, y1: y + h / 2, y2: y + h / 2, stroke: look.hairline }),
    svg("rect", { x: from, y: y + 1, width: Math.max(1, to - from), height: h - 2, fill: look.colour(v), stroke: look.hairline, rx: 2 }),
    svg("rect", { x: at(tree.value[v]) - 1.5, y: y - 1, width: 3, height: h + 2, fill: look.inkColour }),
  ];
}

function axisText(look, w, y) {
  const { tree } = look;
  return [
    label(tree.number(look.low), PAD + 4, y, FONT.small, "start", look.faint),
    label(tree.number(look.high), w - PAD, y, FONT.small, "end", look.faint),
  ];
}

function labelledBars(look, v, w, top, bottom) {
  const most = Math.max(1, Math.min(8, Math.floor((bottom - top) / 17)));
  const step = Math.max(17, Math.min(30, (bottom - top) / Math.min(most, look.tree.classes.length)));
  const names = (w - 2 * PAD) * 0.42;
  const room = w - 2 * PAD - names - 46;
  return barsOf(look, v, most).flatMap(({ text, share, colour }, i) => {
    const y = top + step * i;
    return [
      label(fitted(text, names - 6, FONT.small), PAD + 4, y + step / 2 + 2, FONT.small, "start", look.inkColour),
      svg("rect", { x: PAD + names, y: y + 2, width: Math.max(0.5, room * share), height: step - 7, rx: 2, fill: colour, stroke: look.hairline }),
      label(formatShare(share), w - PAD, y + step / 2 + 2, FONT.small, "end", look.faint),
    ];
  });
}

/** A line of an outline: the test that leads here, the answer with its rows, and the distribution. */
export function outlineCard(look, v, w, h, test, mark) {
  if (isMore(v)) return moreCard(look, nodeOf(v), w, h);
  const { tree } = look;
  const room = w - 2 * PAD - 8;
  const share = tree.classes ? ` ${formatShare(tree.confidence(v))}` : "";
  const rows = `${plural(tree.rows[v], "row")}  [${v}]`;
  const answer = fitted(`${tree.shortAnswer(v)}${share}`, room - textWidth(rows, FONT.small), FONT.bold);
  return [
    ...cardBase(look, v, w, h),
    label(fitted(test, room - mark, FONT.normal), PAD + 6, 17, FONT.normal, "start", look.inkColour),
    label(answer, PAD + 6, 35, FONT.bold, "start", look.inkColour),
    label(rows, w - PAD, 35, FONT.small, "end", look.faint),
    ...distribution(look, v, PAD + 6, 41, w - 2 * PAD - 6, 6),
  ];
}

function moreCard(look, v, w, h) {
  const { tree } = look;
  const hidden = look.hiddenBranches(v);
  const rows = hidden.reduce((sum, child) => sum + tree.rows[child], 0);
  const parts = [svg("rect", { class: "box more", width: w, height: h, rx: 7, fill: look.paper, stroke: look.faint })];
  if (w < 80) return parts;
  parts.push(label(fitted(`${hidden.length} more branches`, w - 12, FONT.normal), w / 2, h / 2 - 2, FONT.normal, "middle", look.inkColour));
  parts.push(label(fitted(plural(rows, "row"), w - 12, FONT.small), w / 2, h / 2 + 14, FONT.small, "middle", look.faint));
  return parts;
}

export function splitName(tree, v) {
  return oneLine(tree.columns[tree.column[tree.inner[v]]].name);
}

/** An error as the whole tree's is told. */
export function errorText(tree, error) {
  return tree.classes ? formatShare(error) : tree.number(error);
}
