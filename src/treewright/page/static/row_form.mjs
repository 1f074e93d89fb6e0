// A row to be entered, and the table of its path.

import { bdi, breakable, html } from "./dom.mjs";
import { exactNumber, formatCount, formatShare, levelText, oneLine, valueText } from "./number_text.mjs";
import { conditionText, regionOf, regionsOf, phrase } from "./region.mjs";
import { route } from "./routing.mjs";

const MOST_OPTIONS = 300; // of more levels the name is typed
const FEW_CLASSES = 4;

export class RowForm {
  constructor(page) {
    this.page = page;
    this.columns = page.columns;
    this.inputs = this.columns.map((column, j) => this.#input(column, j));
    this.problem = html("p", { class: "problem", role: "alert" });
    this.result = html("div", { class: "path", "aria-live": "polite" });
    this.element = html("form", { class: "row-form", "data-part": "row-form", onsubmit: (event) => { event.preventDefault(); this.show(); } },
      this.#picker(),
      ...this.columns.map((column, j) => html("label", {}, html("span", {}, breakable(oneLine(column.name).slice(0, 80))), this.inputs[j])),
      html("div", { class: "buttons" }, html("button", { type: "submit" }, "Show the path"),
        html("button", { type: "button", onclick: () => this.#typical() }, isOfRules(page.view) ? "Take a row of this rule" : "Take a row of this node"),
        html("button", { type: "button", onclick: () => this.clear() }, "Clear")),
      this.problem);
  }

  #input(column, j) {
    const name = `column-${j}`;
    if (column.kind === "numeric") {
      const hint = { number: "missing", date: "missing, or 2024-12-31", datetime: "missing, or 2024-12-31 23:59:59", duration: "missing, or seconds" };
      return html("input", { name, "data-column": column.name, inputmode: column.unit === "number" ? "decimal" : "text", placeholder: hint[column.unit], autocomplete: "off" });
    }
    if (column.levels.length > MOST_OPTIONS) return html("input", { name, "data-column": column.name, placeholder: "missing, or a level", autocomplete: "off" });
    const options = column.levels.map((level, code) => html("option", { value: code + 1 }, levelText(level).slice(0, 80)));
    return html("select", { name, "data-column": column.name }, html("option", { value: "" }, "missing"), ...options);
  }

  /** Rows that the page was given to choose from. */
  #picker() {
    const rows = this.page.view.rows;
    if (!rows.length) return null;
    return html("label", {}, html("span", {}, "Row"), html("select", {
      "data-part": "row-pick",
      onchange: (event) => {
        const row = rows[Number(event.target.value)];
        if (row) this.fill(row);
      },
    }, html("option", { value: "" }, "choose one"), ...rows.map((_, i) => html("option", { value: i }, `row ${i + 1}`))));
  }

  clear() {
    this.inputs.forEach((input) => { input.value = ""; input.removeAttribute("aria-invalid"); });
    this.problem.textContent = "";
    this.result.replaceChildren();
    this.page.follow(null);
  }

  /** Put a row into the form, numbers and codes, and show its path. */
  fill(row) {
    this.inputs.forEach((input, j) => { input.value = row[j] === null ? "" : this.#written(j, row[j]); });
    this.show();
  }

  #written(j, value) {
    const column = this.columns[j];
    if (column.kind === "numeric") return column.unit === "number" || column.unit === "duration" ? exactNumber(value) : valueText(column, value);
    return column.levels.length > MOST_OPTIONS ? String(column.levels[value - 1]) : String(value);
  }

  /** A row that goes to the selected node, whose other columns are missing. */
  #typical() {
    this.fill(this.page.typicalRow());
  }

  show() {
    const row = this.inputs.map((input, j) => read(input.value, this.columns[j]));
    const wrong = row.findIndex((value) => value === undefined);
    this.inputs.forEach((input, j) => input.toggleAttribute("aria-invalid", row[j] === undefined));
    if (wrong >= 0) {
      this.problem.textContent = `${oneLine(this.columns[wrong].name)}: “${this.inputs[wrong].value.slice(0, 80)}” is not ${this.columns[wrong].kind === "numeric" ? `a ${this.columns[wrong].unit}` : "a level that training saw; leave it empty for missing"}.`;
      this.result.replaceChildren();
      this.page.follow(null);
      return;
    }
    this.problem.textContent = "";
    this.result.replaceChildren(...this.page.explain(row));
  }
}

/** Whether a view is of rules, or of members that are. */
function isOfRules(view) {
  return view.kind === "rules" || view.members?.[0].view.kind === "rules";
}

/** What is written as a number or a code; null is missing, undefined cannot be read. */
export function read(text, column) {
  const given = text.trim();
  if (!given) return null;
  if (column.kind !== "numeric") {
    if (column.levels.length <= MOST_OPTIONS) return Number(given);
    const code = column.levels.findIndex((level) => String(level) === text || levelText(level) === given);
    return code < 0 ? undefined : code + 1;
  }
  if (column.unit === "date" || column.unit === "datetime") {
    const seconds = Date.parse(`${given.replace(" ", "T")}${given.length > 10 ? "Z" : ""}`) / 1000;
    return Number.isNaN(seconds) ? undefined : column.unit === "date" ? seconds / 86400 : seconds;
  }
  const number = Number(given);
  return Number.isFinite(number) ? number : undefined;
}

/** A row of a tree: the steps, the nodes it comes by with its part, and the table. */
export function explained(page, row) {
  const { tree } = page;
  const found = route(tree, row);
  const trail = new Map([[0, 1], ...found.steps.map(({ child, part }) => [child, part])]);
  return { trail, leaf: found.leaf, value: found.value, table: pathTable(page, row, found) };
}

function pathTable(page, row, found) {
  const { tree } = page;
  const inParts = found.steps.some(({ part }) => part !== 1);
  const head = ["node", "value", "test", ...(inParts ? ["part"] : []), "rows", "prediction"];
  const line = (cells, attributes = {}) => html("tr", attributes, ...cells.map((cell) => html("td", {}, cell)));
  const go = (v) => html("button", { type: "button", class: "link", onclick: () => page.choose(v) }, `[${v}]`);
  const start = line([go(0), "", "start", ...(inParts ? [""] : []), formatCount(tree.rows[0]), running(tree, 0, row)]);
  const steps = found.steps.map(({ node, child, part, surrogate }) => {
    const { column, place } = tree.split(node);
    const by = surrogate ? `by ${phrase({ ...regionOf(surrogate.split, tree.branch(child)), seen: false }, 3)}, ` : "";
    const test = bdi(`${by}${conditionText(tree, child, 4)}`.slice(0, 200));
    return line([go(child), bdi(valueText(column, row[place]).slice(0, 80)), test,
      ...(inParts ? [formatShare(part)] : []), formatCount(tree.rows[child]), running(tree, child, row)]);
  });
  const end = html("tr", { class: "outcome", "data-value": JSON.stringify(found.value), "data-leaf": found.leaf },
    html("th", { scope: "row", colspan: head.length }, outcome(tree, found)));
  return html("table", { "data-part": "path-table" }, html("caption", {}, "The path of the row"),
    html("thead", {}, html("tr", {}, ...head.map((name) => html("th", { scope: "col" }, name)))),
    html("tbody", {}, start, ...steps), html("tfoot", {}, end));
}

/** What would be predicted if the row stopped at a node. */
function running(tree, v, row) {
  if (!tree.classes) return tree.number(tree.valueOf(v, row)[0]);
  const shares = tree.valueOf(v, row);
  if (shares.length > FEW_CLASSES) return bdi(`${tree.answer(v).slice(0, 40)} ${whole(formatShare(tree.confidence(v)))}`);
  return bdi(tree.texts.map((text, k) => `${text.slice(0, 40)} ${whole(formatShare(shares[k]))}`).join(", "));
}

/** A share whose sign stays on its line. */
function whole(share) {
  return share.replace(" ", "\u00a0");
}

/** The prediction with all its digits. */
function outcome(tree, { value, label }) {
  if (!tree.classes) return ["Prediction: ", bdi(tree.targetName), ` = ${exactNumber(value[0])}`];
  const answer = tree.texts[label ?? tree.decided(value)];
  const shares = value.map((share, k) => [share, tree.texts[k]]).filter(([share]) => share > 0 || value.length <= FEW_CLASSES);
  return ["Prediction: ", bdi(tree.targetName), " = ", bdi(answer), html("div", { class: "exact" },
    shares.map(([share, text], i) => [i ? ", " : "", bdi(text.slice(0, 60)), ` ${exactNumber(share)}`]).flat())];
}

/** Values that lead to a node: of each column on its path one that all tests let pass. */
export function rowOf(tree, v) {
  const row = tree.columns.map(() => null);
  for (const region of regionsOf(tree, v)) {
    const j = tree.columns.indexOf(region.column);
    if (region.column.kind !== "numeric") row[j] = region.levels.indexOf(true) + 1 || null;
    else if (region.intervals.length) row[j] = between(...region.intervals[0]);
  }
  return row;
}

/** A short number above the low end and up to the high end. */
export function between(low, high) {
  if (low === -Infinity) return high;
  if (high === Infinity) return shortAbove(low, low + Math.max(1, Math.abs(low)));
  return shortAbove(low, high);
}

function shortAbove(low, high) {
  const middle = low / 2 + high / 2;
  for (let digits = 1; digits <= 17; digits += 1) {
    const x = Number(middle.toPrecision(digits));
    if (x > low && x <= high) return x;
  }
  return high;
}
