// Reads a view, rows and nodes from standard input, and writes what the page's script makes of them.

import { readFileSync } from "node:fs";
import { formatNumber, formatShare, formatThreshold, levelText, oneLine, pText } from "../../src/treewright/page/static/number_text.mjs";
import { conditionText, pandasText, ruleText, sqlText } from "../../src/treewright/page/static/region.mjs";
import { combined, membersOf, saidBy } from "../../src/treewright/page/static/members.mjs";
import { route } from "../../src/treewright/page/static/routing.mjs";
import { rowOf } from "../../src/treewright/page/static/row_form.mjs";
import { answerOfRules, rulesOf } from "../../src/treewright/page/static/rule_answers.mjs";
import { Tree } from "../../src/treewright/page/static/tree.mjs";

const asked = JSON.parse(readFileSync(0, "utf8"));

function ofTree({ view, rows, nodes }) {
  const tree = new Tree(view);
  const ways = rows.map((row) => route(tree, row));
  return {
    values: ways.map(({ value }) => value),
    leaves: ways.map(({ leaf }) => leaf),
    rules: nodes.map((v) => ruleText(tree, v)),
    conditions: nodes.map((v) => (v ? conditionText(tree, v) : "")),
    sql: nodes.map((v) => sqlText(tree, v)),
    pandas: nodes.map((v) => pandasText(tree, v)),
    tests: nodes.map((v) => tree.testText(v)),
    answers: nodes.map((v) => tree.answer(v)),
    reached: nodes.map((v) => route(tree, rowOf(tree, v))).map(({ steps, ends }) => [0, ...steps.map(({ child }) => child), ...ends.map(({ v }) => v)]),
  };
}

function ofRules({ view, rows }) {
  const rules = rulesOf(view);
  const said = rows.map((row) => answerOfRules(view, rules, row));
  return { places: said.map(({ place }) => place), values: said.map(({ value }) => value) };
}

function ofMembers({ view, rows }) {
  const members = membersOf(view);
  const weights = members.map(({ weight }) => weight);
  const said = rows.map((row) => members.map((member) => saidBy(member, row, view.combining, view.target)));
  return { values: said.map((one) => combined(view.combining, one, weights, view.target)) };
}

function ofNumbers({ numbers, shares, levels, logs, thresholds }) {
  return {
    numbers: numbers.map(([x, digits]) => formatNumber(x, digits)), shares: shares.map(formatShare), levels: levels.map(levelText),
    lines: levels.map((level) => (typeof level === "string" ? oneLine(level) : "")), logs: logs.map(pText),
    thresholds: thresholds.map(([x, unit]) => formatThreshold(x, unit)),
  };
}

const WAYS = { rules: ofRules, members: ofMembers, tree: ofTree };
const made = asked.numbers ? ofNumbers(asked) : WAYS[asked.view.kind](asked);
process.stdout.write(JSON.stringify(made));
