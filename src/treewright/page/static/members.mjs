// Many trees, or many sets of rules: a list of them, one of them open beside it, and what they say together of a row.

import { answerOfTree, boosted, sharesOf } from "./c50_answers.mjs";
import { bdi, html, svg } from "./dom.mjs";
import { icicle } from "./layout.mjs";
import { exactNumber, formatCount, formatNumber, formatShare, levelText, oneLine, plural } from "./number_text.mjs";
import { classColours, colourings } from "./palette.mjs";
import { RowForm } from "./row_form.mjs";
import { route } from "./routing.mjs";
import { answerOfRules, rulesOf } from "./rule_answers.mjs";
import { decided, Tree } from "./tree.mjs";

const MOST_COLUMNS = 8; // of the list of importances
const [THUMB_WIDTH, THUMB_HEIGHT] = [84, 30];

/** The members as the page uses them: each with its own columns, told by their places in those of all. */
export function membersOf(view) {
  return view.members.map((member, k) => {
    const columns = member.columns.map((place, i) => ({ ...view.columns[place], cuts: member.cuts?.[i] ?? [] }));
    const own = { ...member.view, target: member.view.target ?? view.target, columns, rows: [] };
    return { ...member, number: k, view: own, tree: own.kind === "tree" ? new Tree(own) : null, rules: own.kind === "rules" ? rulesOf(own) : null };
  });
}

/** The row as a member sees it. */
function seenBy(member, row) {
  return member.columns.map((place) => row[place]);
}

/** What a member says of a row: the value of each class, or a number, in the order of the target of all. */
export function saidBy(member, row, how, target) {
  const own = seenBy(member, row);
  if (how.by === "c5.0" && member.tree) return answerOfTree(member.tree, own);
  const { value, label, confidence } = member.tree ? route(member.tree, own) : answerOfRules(member.view, member.rules, own);
  if (how.by === "c5.0") return { value, label, confidence };
  if (!target.classes || !member.classes) return { value };
  const placed = target.classes.map(() => 0);
  member.classes.forEach((place, k) => { placed[place] = value[k]; });
  return { value: placed };
}

/** What all members predict together. */
export function combined(how, said, weights, target) {
  const values = said.map(({ value }) => value);
  if (how.by === "c5.0") return sharesOf(boosted(said, how.otherwise).value);
  if (how.by === "median") return [weightedMedian(values.map(([value]) => value), weights)];
  const isHard = how.by === "votes" || how.by === "softmax";
  const sums = values[0].map(() => 0);
  values.forEach((value, i) => {
    const vote = isHard ? decided(target, value) : -1;
    value.forEach((share, k) => { sums[k] += weights[i] * (isHard ? Number(k === vote) : share); });
  });
  const mean = sums.map((sum) => sum / how.sum);
  if (how.by === "committee") return mean.map(Math.fround);
  return how.by === "softmax" ? softmax(mean) : mean;
}

/** Probabilities of weighted votes, as scikit-learn makes them. */
function softmax(votes) {
  const K = votes.length;
  const others = Math.max(K - 1, 1);
  const scores = votes.map((vote) => (K * vote - 1) / others / others);
  const most = Math.max(...scores);
  return sharesOf(scores.map((score) => Math.exp(score - most)));
}

/** The least number that has, with those below it, half of the weight. */
function weightedMedian(numbers, weights) {
  const order = numbers.map((_, i) => i).sort((a, b) => numbers[a] - numbers[b] || a - b);
  const half = 0.5 * order.reduce((sum, i) => sum + weights[i], 0);
  let sum = 0;
  return numbers[order.find((i) => { sum += weights[i]; return sum >= half; })];
}

export class MembersPage {
  /** ``showOne(container, view)`` shows a single member. */
  constructor(container, view, showOne) {
    this.view = view;
    this.showOne = showOne;
    this.columns = view.columns;
    this.target = view.target;
    this.texts = view.target.classes?.map(levelText);
    this.members = membersOf(view);
    this.selected = -1;
    this.row = null;
    container.classList.add("tw", "tw-members");
    const style = getComputedStyle(container);
    this.paper = style.getPropertyValue("--paper").trim();
    this.colours = view.target.classes ? classColours(view.stats, this.paper) : [];
    this.form = new RowForm(this);
    this.host = html("div", { class: "member" });
    this.list = html("ul", { class: "members", role: "listbox", tabindex: 0, "aria-label": `${view.member_name}s`, "data-part": "members", onkeydown: (event) => this.#key(event) });
    this.items = this.members.map((member) => this.#item(member));
    this.list.append(...this.items.map(({ element }) => element));
    container.replaceChildren(
      html("header", {}, html("h1", {}, bdi(view.title), ": ", bdi(oneLine(view.target.name).slice(0, 120))), html("p", { class: "facts" }, view.facts.join(" · "))),
      html("div", { class: "body" },
        html("aside", { class: "all", "aria-label": "All members" },
          this.#importance(), this.#curve(),
          html("details", { class: "row", open: view.columns.length <= 8 }, html("summary", {}, "A row and what they say of it"), this.form.element, this.form.result),
          html("h3", {}, this.#listName()), this.list),
        this.host));
    this.choose(0);
  }

  #listName() {
    const { members, n_members: all, member_name: name } = this.view;
    return members.length === all ? `All ${plural(all, name)}` : `The first ${members.length} of ${plural(all, name)}`;
  }

  /** The columns of most use. */
  #importance() {
    const { importance, importance_name: name } = this.view;
    if (!importance.length) return null;
    const most = importance[0][1] || 1;
    const rows = importance.slice(0, MOST_COLUMNS).map(([column, share]) => html("tr", {},
      html("th", { scope: "row" }, bdi(oneLine(column).slice(0, 60))),
      html("td", { class: "bar" }, html("span", { class: "solid", style: `width:${(100 * share) / most}%` })), html("td", {}, formatShare(share))));
    const more = importance.length - rows.length;
    return html("table", { class: "bars", "data-part": "importance" }, html("caption", {}, more > 0 ? `${name}; ${plural(more, "column")} more` : name), html("tbody", {}, ...rows));
  }

  /** An error against the number of members. */
  #curve() {
    const { curve } = this.view;
    const known = curve?.values.map((value, i) => [i + 1, value]).filter(([, value]) => value !== null) ?? [];
    if (known.length < 3) return null;
    const [w, h, left, right, top, bottom] = [300, 104, 44, 8, 12, 88];
    const [first, last] = [known[0][0], known.at(-1)[0]];
    const high = Math.max(...known.map(([, value]) => value)) || 1;
    const points = known.map(([n, value]) => `${(left + ((n - first) / (last - first)) * (w - left - right)).toFixed(1)},${(bottom - (value / high) * (bottom - top)).toFixed(1)}`);
    const words = (value) => (this.texts ? formatShare(value) : formatNumber(value, 3));
    const text = (x, y, said, anchor) => svg("text", { x, y, "text-anchor": anchor, "font-size": 11 }, said);
    const end = known.at(-1)[1];
    return html("figure", { class: "curve" }, html("figcaption", {}, `${curve.name}: ${words(end)} with ${last}`),
      svg("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": `${curve.name} against the number of members, from ${words(known[0][1])} to ${words(end)}` },
        svg("path", { class: "axis", d: `M${left} ${top}V${bottom}H${w - right}` }), svg("polyline", { class: "line", points: points.join(" ") }),
        text(left - 5, bottom, "0", "end"), text(left - 5, top + 8, words(high), "end"), text(left, h - 3, String(first), "middle"), text(w - right, h - 3, plural(last, this.view.member_name), "end")));
  }

  #item(member) {
    const said = html("span", { class: "said" });
    const canvas = member.tree ? html("canvas", { width: 2 * THUMB_WIDTH, height: 2 * THUMB_HEIGHT, "aria-hidden": "true" }) : null;
    if (canvas) this.#thumbnail(canvas, member.tree);
    const element = html("li", { role: "option", id: `member-${member.number}`, "data-member": member.number, "aria-selected": false, onclick: () => this.choose(member.number) },
      canvas, html("span", { class: "words" }, html("b", {}, `${this.view.member_name} ${member.number + 1}`), html("span", { class: "quiet" }, member.facts)), said);
    return { element, said };
  }

  /** The whole tree, small: a strip per level, as wide as a node has rows. */
  #thumbnail(canvas, tree) {
    const paint = canvas.getContext("2d");
    const { from, size } = icicle(tree);
    const { colour } = colourings(tree, this.paper)[0];
    const step = canvas.height / (tree.maxDepth + 1);
    for (let v = 0; v < tree.size; v += 1) {
      const width = size[v] * canvas.width;
      if (width < 0.3) continue;
      paint.fillStyle = colour(v);
      paint.fillRect(from[v] * canvas.width, tree.depth[v] * step, Math.max(width - 0.7, 0.5), step > 3 ? step - 1 : step);
    }
  }

  /** Open a member beside the list. */
  choose(k) {
    if (k === this.selected) return;
    this.shown?.close?.();
    this.selected = k;
    this.items.forEach(({ element }, i) => element.setAttribute("aria-selected", i === k));
    this.list.setAttribute("aria-activedescendant", `member-${k}`);
    const place = html("div", {});
    this.host.replaceChildren(place);
    const { view, facts } = this.members[k];
    this.shown = this.showOne(place, { ...view, title: `${this.view.member_name} ${k + 1}`, facts: view.facts ?? [facts] });
    if (this.row) this.#follow();
  }

  #follow() {
    this.shown.form.fill(seenBy(this.members[this.selected], this.row));
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const last = this.members.length - 1;
    const to = step ? Math.min(last, Math.max(0, this.selected + step)) : { Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choose(to);
    this.items[to].element.scrollIntoView({ block: "nearest" });
  }

  // ---- a row -------------------------------------------------------------------------------------------------------

  /** What all members say of a row, and the answer they make together. */
  explain(row) {
    this.row = row;
    const { combining, n_members: all } = this.view;
    const said = this.members.map((member) => saidBy(member, row, combining, this.target));
    said.forEach(({ value, label }, k) => { this.items[k].said.replaceChildren(...this.#words(value, label)); });
    this.#follow();
    const weights = this.members.map(({ weight }) => weight);
    const isWhole = said.length === all;
    const how = isWhole ? combining : { ...combining, sum: weights.reduce((sum, weight) => sum + weight, 0) };
    const value = combined(how, said, weights, this.target);
    return [this.texts ? this.#votes(said, value, isWhole) : this.#numbers(said, value, isWhole)];
  }

  #words(value, label) {
    if (!this.texts) return [formatNumber(value[0], 4)];
    const k = label ?? decided(this.target, value);
    return [html("i", { class: "chip", style: `background:${this.colours[k]}` }), bdi(this.texts[k].slice(0, 24))];
  }

  #votes(said, value, isWhole) {
    const counts = value.map(() => 0);
    for (const { value: one, label } of said) counts[label ?? decided(this.target, one)] += 1;
    const order = value.map((_, k) => k).filter((k) => counts[k] > 0 || value.length <= 8).sort((a, b) => counts[b] - counts[a] || a - b);
    const rows = order.map((k) => html("tr", {}, html("th", { scope: "row" }, bdi(this.texts[k].slice(0, 60))),
      html("td", { class: "bar" }, html("span", { style: `width:${(100 * counts[k]) / said.length}%;background:${this.colours[k]}` })), html("td", {}, formatCount(counts[k]))));
    const answer = this.texts[decided(this.target, value)];
    const exact = value.map((share, k) => [share, k]).filter(([share]) => share > 0 || value.length <= 4)
      .flatMap(([share, k], i) => [i ? ", " : "", bdi(this.texts[k].slice(0, 60)), ` ${exactNumber(share)}`]);
    return this.#table("How many decide for which class", rows, value, isWhole, [bdi(answer), html("div", { class: "exact" }, exact)]);
  }

  #numbers(said, value, isWhole) {
    const numbers = said.map(({ value: [number] }) => number);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const rows = [["least", low], ["greatest", high]].map(([name, number]) => html("tr", {}, html("th", { scope: "row" }, name), html("td", { class: "bar" }), html("td", {}, formatNumber(number))));
    return this.#table("What they predict", rows, value, isWhole, [exactNumber(value[0])]);
  }

  #table(caption, rows, value, isWhole, answer) {
    const { how, members, member_name: name, combining } = this.view;
    const whole = combining.before ? "Prediction before near rows correct it: " : "Prediction: ";
    return html("table", { class: "bars votes", "data-part": "path-table" }, html("caption", {}, caption), html("tbody", {}, ...rows),
      html("tfoot", {}, html("tr", { class: "outcome", "data-value": JSON.stringify(value), "data-whole": isWhole }, html("th", { scope: "row", colspan: 3 },
        isWhole ? whole : `What the ${plural(members.length, name)} of this page say: `, bdi(oneLine(this.target.name)), " = ", ...answer, html("div", { class: "exact" }, how)))));
  }

  follow() {
    this.row = null;
    for (const { said } of this.items) said.replaceChildren();
    this.shown.form.clear();
  }

  /** A row of the selected node or rule of the open member. */
  typicalRow() {
    const own = this.shown.typicalRow();
    const row = this.columns.map(() => null);
    this.members[this.selected].columns.forEach((place, i) => { row[place] = own[i]; });
    return row;
  }

  close() {
    this.shown?.close?.();
  }
}
