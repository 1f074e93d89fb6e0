// A rule set: the first rule in order that is met decides, or all that are met vote.

import { bdi, html } from "./dom.mjs";
import { exactNumber, formatNumber, formatShare, levelText, oneLine, plural } from "./number_text.mjs";
import { classColours } from "./palette.mjs";
import { phrase } from "./region.mjs";
import { answerOfRules, rulesOf } from "./rule_answers.mjs";
import { RowForm } from "./row_form.mjs";

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

  /** The rule that decides a row, or all that count, as a table; the last line is what is predicted. */
  explain(row) {
    const { place, met, value } = answerOfRules(this.view, this.rules, row);
    const decided = place < 0 ? this.view.otherwise : this.rules[place];
    this.deciding = place < 0 ? this.rules.length : place;
    this.draw();
    const lines = this.view.answer === "mean" ? this.#ruleLines(met, row) : this.#conditionLines(place);
    const words = this.classes ? this.classes.map((text, k) => `${text.slice(0, 60)} ${exactNumber(value[k])}`).join(", ") : "";
    const answer = this.classes ? this.#answer(decided) : exactNumber(value[0]);
    return [html("table", { "data-part": "path-table" }, html("caption", {}, this.#caption(place, met, decided)),
      html("tbody", {}, ...lines), html("tfoot", {}, html("tr", { class: "outcome", "data-value": JSON.stringify(value), "data-rule": decided.number },
        html("th", { scope: "row", colspan: 2 }, "Prediction: ", bdi(answer), words ? html("div", { class: "exact" }, bdi(words)) : null))))];
  }

  #caption(place, met, decided) {
    if (place < 0) return "No rule is met.";
    if (this.view.answer === "mean") return `${plural(met.length, "rule")} met: ${this.view.facts[1]}.`;
    return `Rule ${decided.number} ${this.view.answer === "vote" ? "speaks for the class of most votes" : "is the first that is met"}.`;
  }

  #conditionLines(place) {
    const { regions, equation } = place < 0 ? { regions: [], equation: this.view.otherwise.equation } : this.rules[place];
    const tests = regions.map((region) => html("tr", {}, html("td", {}, bdi(phrase(region).slice(0, 200))), html("td", {}, "met")));
    return equation ? [...tests, html("tr", {}, html("td", { colspan: 2 }, bdi(equation)))] : tests;
  }

  /** Each rule that is met, with what it says by itself. */
  #ruleLines(met, row) {
    return met.map((rule) => html("tr", {}, html("td", {}, `[${rule.number}] `, bdi(this.#answer(rule))),
      html("td", { class: "number" }, formatNumber(answerOfRules(this.view, [rule], row).value[0]))));
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
