// The tested column at a node: a bar per bin, a colour per class, the cut where it is.

import { label, svg } from "./dom.mjs";
import { formatThreshold, levelText, shortened } from "./number_text.mjs";
import { unpacked } from "./tree.mjs";

const LABEL = 13; // pixels below the bars

/** The histogram of a node's rows, as elements of SVG in the given room; none where the view has none. */
export function histogramParts(look, v, x, y, w, h, font) {
  const told = look.tree.view.histograms[v];
  if (!told) return [];
  const bins = binsOf(told);
  const most = Math.max(...bins.map(heightOf(look.tree)), 1e-12);
  const step = w / bins.length;
  const [floor, room] = [y + h - LABEL, h - LABEL - 2];
  const parts = bins.flatMap((sums, i) => stacked(look, sums, x + i * step, floor, step - (step > 4 ? 1 : 0), room / most));
  parts.push(svg("line", { x1: x, x2: x + w, y1: floor, y2: floor, stroke: look.hairline }));
  const name = (text, at, anchor) => label(text, at, floor + 11, font, anchor, look.faint);
  return [...parts, ...(told.codes ? levelNames(look, v, told, x, step, name) : axis(look, v, told, { x, y, w, floor }, name))];
}

/** Whether a node has a histogram. */
export function hasHistogram(tree, v) {
  return tree.view.histograms[v] !== undefined;
}

function binsOf(told) {
  const sums = unpacked(told.sums);
  return Array.from({ length: sums.length / told.width }, (_, i) => sums.subarray(i * told.width, (i + 1) * told.width));
}

function heightOf(tree) {
  return (sums) => (tree.classes ? sums.reduce((total, part) => total + part, 0) : sums[0]);
}

function stacked(look, sums, x, floor, width, scale) {
  const bar = (from, size, fill) => svg("rect", { x, y: from - size * scale, width: Math.max(1, width), height: size * scale, fill, stroke: look.hairline, "stroke-width": 0.4 });
  if (!look.tree.classes) return sums[0] > 0 ? [bar(floor, sums[0], look.valueColour(sums[1] / sums[0]))] : [];
  let from = floor;
  return [...sums].flatMap((size, k) => {
    if (!size) return [];
    const made = bar(from, size, sums.length === look.tree.classes.length ? look.classColours[k] : look.faint);
    from -= size * scale;
    return [made];
  });
}

/** The ends of the axis, and every cut that lies between them. */
function axis(look, v, told, { x, y, w, floor }, name) {
  const { column, edges } = look.tree.split(v);
  const text = (value) => formatThreshold(value, column.unit, 4);
  const at = (value) => x + (w * (value - told.low)) / (told.high - told.low || 1);
  const cuts = [...edges].filter((edge) => edge >= told.low && edge <= told.high)
    .map((edge) => svg("line", { class: "cut", x1: at(edge), x2: at(edge), y1: y, y2: floor + 3, stroke: look.accent, "stroke-width": 2 }));
  return [...cuts, name(text(told.low), x, "start"), name(text(told.high), x + w, "end")];
}

/** The levels below their bars, where there is room, with the branch that each takes. */
function levelNames(look, v, told, x, step, name) {
  const { column } = look.tree.split(v);
  const most = Math.floor(step / 7.5);
  return most < 2 ? [] : told.codes.map((code, i) => name(shortened(levelText(column.levels[code - 1]), most), x + (i + 0.5) * step, "middle"));
}
