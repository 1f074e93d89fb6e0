// Colours: hues and the first ramp are those of palette.py, for light and for dark paper; ramps are ColorBrewer's.

const HUES = ["#2f6db5", "#e58a2e", "#009988", "#cc3355", "#88ddff", "#663300", "#772255", "#44eebb"];
const HUES_ON_DARK = ["#6ea8f0", "#f0a35e", "#99ffcc", "#cc8899", "#3366dd", "#776600", "#995577", "#99eeff"];
export const MOST_HUES = HUES.length;
export const OTHER = "#8a8f98"; // classes beyond the hues
const RAMP = ["#ffffcc", "#c7e9b4", "#7fcdbb", "#41b6c4", "#2c7fb8", "#253494"];
const ERROR_RAMP = ["#fff7ec", "#fdd49e", "#fc8d59", "#d7301f", "#7f0000"];
const EXCESS_RAMP = ["#2166ac", "#92c5de", "#dcdcdc", "#f4a582", "#b2182b"];

/** The colour of each class: hues for the largest, one grey for all others where there are more than hues. */
export function classColours(weights, paper) {
  const hues = isDark(paper) ? HUES_ON_DARK : HUES;
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a] || a - b);
  const few = weights.length <= MOST_HUES;
  const colours = Array(weights.length).fill(OTHER);
  order.slice(0, few ? MOST_HUES : MOST_HUES - 1).forEach((k, place) => { colours[k] = hues[few ? k : place]; });
  return colours;
}

function isDark(paper) {
  return luminance(paper) <= 0.3;
}

/** The ramp of numbers, its low end near the paper. */
function rampOn(paper) {
  return isDark(paper) ? [...RAMP].reverse() : RAMP;
}

/** The colour at a place from 0 to 1 on a ramp. */
function along(ramp, x) {
  const place = Math.min(1, Math.max(0, x)) * (ramp.length - 1);
  const from = Math.min(ramp.length - 2, Math.floor(place));
  return mixed(ramp[from], ramp[from + 1], place - from);
}

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** Part of the way from one colour to another. */
export function mixed(from, to, part) {
  const b = channels(to);
  const sum = channels(from).map((a, i) => Math.round(a + (b[i] - a) * part));
  return `#${sum.map((x) => x.toString(16).padStart(2, "0")).join("")}`;
}

function luminance(colour) {
  const [r, g, b] = channels(colour).map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast of two colours by WCAG, 1 to 21. */
export function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

/** Black or white, whichever is read better on a fill. */
export function ink(fill) {
  return contrast(fill, "#000000") >= contrast(fill, "#ffffff") ? "#000000" : "#ffffff";
}

/** The ways of colouring nodes that a tree knows: a name, and from a node to a colour. */
export function colourings(tree, paper) {
  const found = tree.classes ? ofClasses(tree, paper) : ofNumbers(tree, paper);
  if (tree.holdout) found.push({ name: "holdout", short: "hold-out", text: "hold-out minus training error", ...ofExcess(tree) });
  return found;
}

function ofClasses(tree, paper) {
  const colours = classColours([...tree.statsOf(0)], paper);
  const least = 1 / tree.classes.length;
  const ramp = rampOn(paper);
  const purity = (v) => (tree.confidence(v) - least) / (1 - least || 1);
  return [
    {
      name: "class", short: "class", text: "class", colours, hue: (v) => colours[tree.decision[v]],
      colour: (v) => mixed(paper, colours[tree.decision[v]], 0.35 + 0.65 * Math.max(0, purity(v))),
    },
    { name: "purity", short: "purity", text: "share of the predicted class", colour: (v) => along(ramp, purity(v)),
      ramp, ends: [`${Math.round(100 * least)} %`, "100 %"] },
    { name: "error", short: "error", text: "training error", colour: (v) => along(ERROR_RAMP, tree.error(v) / (1 - least || 1)),
      ramp: ERROR_RAMP, ends: ["0 %", `${Math.round(100 * (1 - least))} %`] },
  ];
}

function ofNumbers(tree, paper) {
  const ramp = rampOn(paper);
  let [low, high, most] = [Infinity, -Infinity, 0];
  for (let v = 0; v < tree.size; v += 1) {
    low = Math.min(low, tree.value[v]);
    high = Math.max(high, tree.value[v]);
    most = Math.max(most, tree.spread[v]);
  }
  const ofValue = (x) => along(ramp, high > low ? (x - low) / (high - low) : 0.5);
  const spread = tree.view.leaf === "medians" ? "mean distance from the median" : "standard deviation";
  return [
    { name: "prediction", short: "prediction", text: "prediction", colour: (v) => ofValue(tree.value[v]), ofValue, ramp,
      ends: [tree.number(low), tree.number(high)] },
    { name: "purity", short: "explained", text: "part of the spread explained", colour: (v) => along(ramp, tree.confidence(v)),
      ramp, ends: ["0 %", "100 %"] },
    { name: "error", short: "spread", text: spread, colour: (v) => along(ERROR_RAMP, most > 0 ? tree.spread[v] / most : 0),
      ramp: ERROR_RAMP, ends: ["0", tree.number(most)] },
  ];
}

function ofExcess(tree) {
  const most = 0.25;
  const unit = tree.classes ? "" : " of the spread";
  return {
    colour: (v) => {
      const excess = tree.excess(v);
      return excess === null ? "#c9ccd1" : along(EXCESS_RAMP, 0.5 + excess / most / 2);
    },
    ramp: EXCESS_RAMP, ends: [`−25 %${unit}`, `+25 %${unit}`],
  };
}
