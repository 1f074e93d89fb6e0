// What trees of C5.0 say of a row: as its own predictor, step by step in 32 bits.

import { EVERY_BRANCH, STOP } from "./tree.mjs";

const EPSILON = 1e-4; // a weight below is none
const FOLLOWED = 1e-6; // parts of a row below are not sent on at a soft threshold
const WHOLE = 2 ** 24; // beyond, 32 bits do not tell whole numbers apart

/** Class counts with the six digits that C5.0's model text has, and their sums. */
function printed(tree) {
  if (tree.printedCounts) return tree.printedCounts;
  const counts = Float64Array.from(tree.stats, (count) => Math.fround(Number(count.toPrecision(6))));
  const K = tree.classes.length;
  const weight = Float64Array.from({ length: tree.size }, (_, v) => counts.subarray(v * K, (v + 1) * K).reduce((sum, count) => Math.fround(sum + count), 0));
  tree.printedCounts = { counts, weight };
  return tree.printedCounts;
}

/** The code of a row's value at a node, and the part that goes left at a soft threshold (-1: it is not parted). */
function codeAt(split, value) {
  if (value === null) return { code: 0, left: -1 };
  if (split.column.kind !== "numeric") return { code: value, left: -1 };
  const code = 1 + [...split.edges].filter((edge) => value > edge).length;
  return { code, left: split.bounds && split.edges.length === 1 ? leftPart(value, split.edges[0], split.bounds) : -1 };
}

function leftPart(given, edge, [lower, upper]) {
  const isShort = Math.abs(edge) < WHOLE;
  const [cut, value] = isShort ? [Math.fround(edge), Math.fround(given)] : [edge, given];
  if (!(lower < upper) || value <= lower || value >= upper) return -1;
  if (value <= cut) return Math.fround(1 - (0.5 * (value - lower)) / (cut - lower + 1e-10));
  return Math.fround((0.5 * (value - upper)) / (cut - upper + 1e-10));
}

/** The shares of the classes and the weight of the leaves, by the part of the row that reaches each. */
function summed(tree, row) {
  const { counts, weight } = printed(tree);
  const K = tree.classes.length;
  const shares = Array(K).fill(0);
  let total = 0;
  const waiting = [{ v: 0, above: 0, part: 1 }];
  while (waiting.length) {
    const { v, above, part } = waiting.pop();
    const split = tree.isLeaf(v) ? null : tree.split(v);
    const { code, left } = split ? codeAt(split, row[split.place]) : { code: 0, left: -1 };
    const branch = split ? split.branchOf[code] : STOP;
    const first = tree.firstChild[v];
    if (branch === STOP) {
      const of = weight[v] < EPSILON ? above : v;
      for (let k = 0; k < K; k += 1) shares[k] += Math.fround(Math.fround(part * counts[of * K + k]) / weight[of]);
      total += part * weight[of];
    } else if (branch === EVERY_BRANCH) {
      for (const child of tree.children(v).reverse()) {
        if (weight[child] > EPSILON) waiting.push({ v: child, above: v, part: Math.fround(Math.fround(part * weight[child]) / weight[v]) });
      }
    } else if (left >= 0) {
      for (const k of [1, 0]) {
        const share = Math.fround(part * (k ? 1 - left : left));
        if (share >= FOLLOWED) waiting.push({ v: first + k, above: v, part: share });
      }
    } else {
      waiting.push({ v: first + branch, above: v, part });
    }
  }
  return { shares, total };
}

/** The greatest amount, the default if it is among equals, else the first of them. */
export function withDefault(amounts, otherwise) {
  const most = Math.max(...amounts);
  return amounts[otherwise] === most ? otherwise : amounts.indexOf(most);
}

/** The class that stands for all rows. */
export function commonest(tree) {
  const { counts } = printed(tree);
  const root = [...counts.subarray(0, tree.classes.length)];
  const { costs } = tree.target;
  if (!costs) return root.indexOf(Math.max(...root));
  const expected = costsOf(costs, root);
  return expected.indexOf(Math.min(...expected));
}

/** The expected cost of every class that may be predicted; ``costs`` are by true and predicted class. */
function costsOf(costs, shares) {
  return costs.map((_, j) => shares.reduce((sum, share, i) => sum + share * costs[i][j], 0));
}

/** The class, the value of every class, and how sure the tree is of the class. */
export function answerOfTree(tree, row) {
  const { shares, total } = summed(tree, row);
  const { counts, weight } = printed(tree);
  const { costs } = tree.target;
  let label = withDefault(shares, commonest(tree));
  if (costs) {
    const expected = costsOf(costs, shares).map((cost, k) => (shares[k] > 0 ? cost : Infinity));
    label = expected.indexOf(Math.min(...expected));
  }
  const value = shares.map((share, k) => (total * share + counts[k] / weight[0]) / (total + 1));
  return { label, value, confidence: value[label] };
}

/** Every trial votes for its class with its confidence; votes are added up in 32 bits. */
export function boosted(answers, otherwise) {
  const votes = Array(answers[0].value.length).fill(0);
  for (const { label, confidence } of answers) votes[label] = Math.fround(votes[label] + confidence);
  const whole = votes.reduce((sum, vote) => sum + vote, 0);
  return { label: withDefault(votes, otherwise), value: votes.map((vote) => vote / whole) };
}

/** Values as shares of 1. */
export function sharesOf(values) {
  const whole = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / whole);
}
