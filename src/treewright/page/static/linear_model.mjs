// The linear model of a node as a table: a line per term and, of a row that was entered, what each term adds.

import { bdi, breakable, html } from "./dom.mjs";
import { formatNumber, levelText, oneLine, valueText } from "./number_text.mjs";

/** The terms of output k of a node: the slope, the column and, of levels, the number that each counts as. */
export function termsOf(tree, v, k) {
  const m = tree.models;
  const at = v * (tree.classes ? tree.classes.length : 1) + k;
  return Array.from({ length: m.model_start[at + 1] - m.model_start[at] }, (_, i) => {
    const place = m.model_start[at] + i;
    const t = m.term[place];
    const scores = [...m.scores.subarray(m.term_start[t], m.term_start[t + 1])];
    return { slope: m.slope[place], column: tree.columns[m.term_column[t]], j: m.term_column[t], missing: scores[0], scores: scores.slice(1) };
  });
}

/** What a term says of its column: the name, or the levels that count. */
function termName({ column, scores }) {
  const name = oneLine(column.name);
  if (!scores.length) return name;
  const counting = column.levels.filter((_, code) => scores[code] !== 0);
  const isStep = scores.every((score) => score === 0 || score === 1);
  if (!isStep) return `${name}, by level`;
  return counting.length === 1 ? `${name} = ${levelText(counting[0])}` : `${name} in {${counting.slice(0, 6).map(levelText).join(", ")}${counting.length > 6 ? ", …" : ""}}`;
}

/** What a term counts as for a row, times its slope. */
export function addedBy({ slope, j, missing, scores }, row) {
  const cell = row[j];
  return slope * (cell === null ? missing : scores.length ? scores[cell - 1] : cell);
}

/** The models of a node, one per class that has one; a row adds a column with what each term adds. */
export function modelTables(tree, v, row) {
  if (!tree.equations) return [];
  const K = tree.classes ? tree.classes.length : 1;
  const made = [];
  for (let k = 0; k < K; k += 1) {
    const intercept = tree.models.intercept[v * K + k];
    const terms = termsOf(tree, v, k);
    if (tree.classes && !terms.length && intercept === 0) continue; // the class that others are compared with
    made.push(modelTable(tree, tree.classes ? `Log-odds of ${tree.texts[k]}` : "Linear model", intercept, terms, row));
  }
  return made;
}

function modelTable(tree, caption, intercept, terms, row) {
  const added = row ? terms.map((term) => addedBy(term, row)) : [];
  const most = Math.max(...added.map(Math.abs), 1e-300);
  const line = (name, number, i) => html("tr", {}, html("th", { scope: "row" }, ...name), html("td", { class: "number" }, number),
    ...(row ? [html("td", { class: "bar" }, i < 0 ? "" : html("span", { class: added[i] < 0 ? "outlined" : "solid", style: `width:${(100 * Math.abs(added[i])) / most}%` })),
      html("td", { class: "number" }, i < 0 ? number : formatNumber(added[i], 4))] : []));
  const rows = terms.map((term, i) => line([breakable(termName(term).slice(0, 120)),
    row ? html("span", { class: "quiet" }, " is ", bdi(valueText(term.column, row[term.j]).slice(0, 40))) : ""], formatNumber(term.slope, 5), i));
  const sum = row ? html("tfoot", {}, html("tr", {}, html("th", { scope: "row" }, "sum"), html("td", {}), html("td", {}),
    html("td", { class: "number" }, formatNumber(added.reduce((total, one) => total + one, intercept))))) : null;
  return html("table", { class: "bars terms", "data-part": "linear-model" }, html("caption", {}, bdi(caption)),
    html("thead", {}, html("tr", {}, ...["", "slope", ...(row ? ["", "adds"] : [])].map((name) => html("th", { scope: "col" }, name)))),
    html("tbody", {}, line(["constant"], formatNumber(intercept, 5), -1), ...rows), sum);
}
