// A rule set: the first rule in order that is met decides, or all that are met vote.

import { html } from "./dom.mjs";
import { exactNumber, formatNumber, formatShare, levelText, oneLine, plural } from "./number_text.mjs";
import { classColours } from "./palette.mjs";
import { bdi } from "./panel.mjs";
import { phrase } from "./region.mjs";
import { RowForm } from "./row_form.mjs";

/** A condition of the view as a region of its column. */
function regionIn(view, [place, intervals, codes, missing]) {
  const column = view.columns[place];
  const ends = intervals.map(([low, high]) => [low ?? -Infinity, high ?? Infinity]);
  return { column, place, intervals: ends, levels: column.levels.map((_, code) => codes.includes(code)), missing: missing ? "here" : "elsewhere", seen: true };
}

/** Whether a row meets a condition. */
export function meets(region, row) {
  const value = row[region.place];
  if (value === null) return region.missing === "here";
  if (region.column.kind !== "numeric") return region.levels[value - 1];
  return region.intervals.some(([low, high]) => value > low && value <= high);
}

/** The rules as the page uses them. */
export function rulesOf(view) {
  return view.rules.map((rule) => ({ ...rule, regions: rule.conditions.map((condition) => regionIn(view, condition)) }));
}

/** The place of the first rule that a row meets, -1 where it meets none. */
export function firstMet(rules, row) {
  return rules.findIndex((rule) => rule.regions.every((region) => meets(region, row)));
}

/** Of rules that vote: the place of the rule that speaks for the class that wins, -1 where none is met, and the shares of the classes. */
export function votedFor(rules, otherwise, nClasses, row) {
  const met = rules.map((_, place) => place).filter((place) => rules[place].regions.every((region) => meets(region, row)));
  if (!met.length) return { place: -1, shares: Array(nClasses).fill(1 / nClasses) };
  const sums = Array(nClasses).fill(0);
  const speakers = Array(nClasses).fill(-1);
  for (const place of met) {
    const { answer, vote, weight } = rules[place];
    sums[answer] += vote;
    const best = rules[speakers[answer]];
    if (!best || weight < best.weight || (weight === best.weight && vote > best.vote)) speakers[answer] = place;
  }
  const most = Math.max(...sums);
  const winner = sums[otherwise.answer] === most ? otherwise.answer : sums.indexOf(most);
  const values = sums.map((sum, k) => {
    const own = speakers[k] < 0 ? 0 : rules[speakers[k]].vote / 1000;
    const mean = sum / (1000 * met.length);
    return k === winner ? Math.max(own, mean) : Math.min(own, mean);
  });
  const whole = values.reduce((sum, value) => sum + value, 0);
  return { place: speakers[winner], shares: values.map((value) => value / whole) };
}

export function showRules(container, view) {
  return new RulePage(container, view);
}

const MOST_SHOWN = 200; // rules at once

class RulePage {
  constructor(container, view) {
    this.view = view;
    this.columns = view.columns;
    for (const column of this.columns) column.cuts = new Map(column.cuts);
    this.rules = rulesOf(view);
    this.classes = view.target.classes?.map(levelText);
    this.query = "";
    this.support = 0;
    this.confidence = 0;
    this.deciding = null;
    this.form = new RowForm(this);
    this.list = html("ol", { class: "rules", "aria-label": `Rules, ${view.facts[1]}` });
    this.status = html("p", { class: "status", role: "status" });
    container.classList.add("tw", "tw-rules");
    const paper = getComputedStyle(container).getPropertyValue("--paper").trim();
    this.colours = view.target.classes ? classColours(view.stats, paper) : [];
    const slider = (part, text) => {
      const told = html("output", {}, formatShare(0));
      const act = (event) => {
        this[part] = Number(event.target.value) / 100;
        told.textContent = formatShare(this[part]);
        this.draw();
      };
      return html("label", { class: "group slider" }, text, html("input", { type: "range", min: 0, max: 100, value: 0, "data-part": part, oninput: act }), told);
    };
    container.replaceChildren(
      html("header", {}, html("h1", {}, bdi(view.title), ": ", bdi(oneLine(view.target.name).slice(0, 120))), html("p", { class: "facts" }, view.facts.join(" · "))),
      html("div", { class: "toolbar", role: "toolbar", "aria-label": "Tools" },
        html("input", { type: "search", "data-part": "search", placeholder: "Search", "aria-label": "Search rules", oninput: (event) => { this.query = event.target.value.trim().toLowerCase(); this.draw(); } }),
        slider("support", "Covers ≥"), view.target.classes ? slider("confidence", "Right ≥") : null),
      html("div", { class: "body" }, html("main", {}, this.list, this.status),
        html("aside", { "data-part": "panel", "aria-label": "A row" }, html("details", { class: "row", open: true }, html("summary", {}, "A row and its rule"), this.form.element, this.form.result))));
    this.draw();
  }

  draw() {
    const items = [...this.rules, { ...this.view.otherwise, regions: [], isLast: true }].map((rule, place) => ({ rule, place }));
    const found = items.filter(({ rule }) => `${rule.number} ${this.#sentence(rule)}`.toLowerCase().includes(this.query));
    const wanted = this.deciding === null ? -1 : this.deciding;
    const shown = found.filter(({ place }, i) => i < MOST_SHOWN || place === wanted);
    this.list.replaceChildren(...shown.map(({ rule, place }) => this.#item(rule, place === wanted)));
    this.status.textContent = `${plural(found.length, "line")} of ${items.length}${found.length > shown.length ? `, the first ${MOST_SHOWN} shown; search for others` : ""}`;
    this.list.querySelector(".deciding")?.scrollIntoView({ block: "nearest" });
  }

  #sentence(rule) {
    const words = rule.regions.map((region) => phrase(region)).join(" and ");
    return `${rule.isLast ? "otherwise" : words ? `if ${words} then` : "always"} ${oneLine(this.view.target.name)} = ${this.#answer(rule)}`;
  }

  #answer(rule) {
    if (rule.equation) return rule.equation;
    return this.classes ? this.classes[rule.answer] : formatNumber(rule.value[0]);
  }

  #item(rule, isDeciding) {
    const isFaded = !rule.isLast && (rule.cover < this.support || (rule.right !== null && rule.right < this.confidence));
    const colour = this.classes ? this.colours[rule.answer] : "#2c7fb8";
    const tests = rule.regions.flatMap((region, i) => {
      const text = phrase(region);
      return [i ? " and " : "if ", html("span", { class: "test" }, bdi(text.length > 300 ? `${text.slice(0, 300)}…` : text))];
    });
    return html("li", { class: [isDeciding && "deciding", isFaded && "faded"].filter(Boolean).join(" "), "data-rule": rule.number },
      html("p", {}, rule.isLast ? "" : html("span", { class: "quiet" }, `[${rule.number}] `), ...(rule.isLast ? ["otherwise "] : tests.length ? [...tests, " then "] : ["always "]),
        html("b", {}, html("i", { class: "chip", style: `background:${colour}` }), bdi(this.#answer(rule)))),
      rule.isLast || rule.cover === null ? null : html("p", { class: "quiet" }, html("span", { class: "cover" }, html("span", { style: `width:${100 * rule.cover}%;background:${colour}` })), rule.evidence));
  }

  /** The rule that decides a row, as a table. */
  explain(row) {
    const votes = this.view.answer === "vote";
    const voted = votes ? votedFor(this.rules, this.view.otherwise, this.classes.length, row) : null;
    const place = votes ? voted.place : firstMet(this.rules, row);
    const decided = place < 0 ? this.view.otherwise : this.rules[place];
    const rule = votes ? { ...decided, value: voted.shares } : decided;
    this.deciding = place < 0 ? this.rules.length : place;
    this.draw();
    const lines = (place < 0 ? [] : this.rules[place].regions).map((region) => html("tr", {}, html("td", {}, bdi(phrase(region).slice(0, 200))), html("td", {}, "met")));
    const words = rule.equation ? `mean ${exactNumber(rule.value[0])}` : this.classes ? this.classes.map((text, k) => `${text.slice(0, 60)} ${exactNumber(rule.value[k])}`).join(", ") : exactNumber(rule.value[0]);
    if (this.view.answer === "mean" && place >= 0) return this.#allMet(row);
    return [html("table", { "data-part": "path-table" }, html("caption", {}, place < 0 ? "No rule is met." : `Rule ${rule.number} ${votes ? "speaks for the class of most votes" : "is the first that is met"}.`),
      html("tbody", {}, ...lines), html("tfoot", {}, html("tr", { class: "outcome", "data-value": JSON.stringify(rule.value), "data-rule": rule.number },
        html("th", { scope: "row", colspan: 2 }, "Prediction: ", bdi(this.#answer(rule)), html("div", { class: "exact" }, bdi(words))))))];
  }

  /** All rules that a row meets, where their mean counts. */
  #allMet(row) {
    const met = this.rules.filter((rule) => rule.regions.every((region) => meets(region, row)));
    return [html("table", { "data-part": "path-table" }, html("caption", {}, `${plural(met.length, "rule")} met: ${this.view.facts[1]}.`),
      html("tbody", {}, ...met.map((rule) => html("tr", {}, html("td", {}, `[${rule.number}]`), html("td", {}, bdi(this.#answer(rule)))))))];
  }

  follow() {
    this.deciding = null;
    this.draw();
  }

  /** The first rule's row: values that meet its conditions. */
  typicalRow() {
    const rule = this.rules[this.deciding ?? 0];
    const row = this.columns.map(() => null);
    for (const region of rule?.regions ?? []) {
      const [low, high] = region.intervals[0] ?? [];
      row[region.place] = region.column.kind === "numeric" ? (high === Infinity ? low + Math.max(1, Math.abs(low)) : high) : region.levels.indexOf(true) + 1 || null;
    }
    return row;
  }
}
