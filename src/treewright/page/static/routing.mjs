// A row down the tree: the same branches, shares and sums as treewright's own kernels.

import { answerOfTree, sharesOf } from "./c50_answers.mjs";
import { AS_MISSING, EVERY_BRANCH, STOP } from "./tree.mjs";

/** The branch of a value: a number, a level's code (0 is missing), or null. */
function branchBy(split, value) {
  if (value === null) return split.branchOf[0];
  if (!split.edges.length) return split.branchOf[value];
  let code = 1;
  for (const edge of split.edges) code += value > edge ? 1 : 0;
  return split.branchOf[code];
}

/** The branch at a node, and the surrogate that named it if the tested value is missing. */
export function branchAt(tree, v, row) {
  const split = tree.split(v);
  const value = row[split.place];
  const branch = branchBy(split, value);
  if (value === null || branch === AS_MISSING) {
    for (const surrogate of tree.surrogates ? tree.surrogatesOf(v) : []) {
      const other = row[surrogate.split.place];
      const named = other === null ? -1 : branchBy(surrogate.split, other);
      if (named >= 0) return { branch: named, surrogate };
    }
    return { branch: split.branchOf[0], surrogate: null };
  }
  return { branch, surrogate: null };
}

/** The part of a row that goes left at a soft threshold; 0: it is not parted. */
function partOnLeft(split, value) {
  if (!split.bounds || value === null) return 0;
  const [lower, upper] = split.bounds;
  const edge = split.edges[0];
  if (lower < value && value <= edge) return 1 - (value - lower) / (edge - lower) / 2;
  return edge < value && value < upper ? (upper - value) / (upper - edge) / 2 : 0;
}

/** The branches that a row takes at a node, each with its part of the row. A row that stops has none. */
function taken(tree, v, row) {
  const split = tree.split(v);
  const first = tree.firstChild[v];
  const left = partOnLeft(split, row[split.place]);
  if (left > 0) {
    return [{ child: first + split.branchOf[1], part: left }, { child: first + split.branchOf[2], part: 1 - left }];
  }
  const { branch, surrogate } = branchAt(tree, v, row);
  if (branch === STOP) return [];
  if (branch !== EVERY_BRANCH) return [{ child: first + branch, part: 1, surrogate }];
  return tree.children(v).filter((child) => tree.share[child] > 0).map((child) => ({ child, part: tree.share[child] }));
}

/**
 * The way of a row: the steps, where it ends, and what is predicted. A row is a value per column of the view: a number,
 * the code of a level (1 is the first), or null where it is missing.
 */
export function route(tree, row) {
  const steps = [];
  const ends = [];
  const waiting = [{ v: 0, part: 1 }];
  while (waiting.length) {
    const { v, part } = waiting.pop();
    const onward = tree.isLeaf(v) ? [] : taken(tree, v, row);
    if (!onward.length) ends.push({ v, part });
    for (const { child, part: share, surrogate } of onward) {
      steps.push({ node: v, child, part: part * share, surrogate: surrogate ?? null });
    }
    waiting.push(...onward.map(({ child, part: share }) => ({ v: child, part: part * share })).reverse());
  }
  const leaf = mostOf(ends);
  if (tree.view.answer !== "c5.0") return { steps, ends, value: predicted(tree, ends, row), leaf };
  const { value, label } = answerOfTree(tree, row);
  return { steps, ends, value: sharesOf(value), label, leaf };
}

function mostOf(ends) {
  return ends.reduce((best, end) => (end.part > best.part ? end : best)).v;
}

/** The probabilities, or the number, of all leaves that a row reaches, by their parts. */
function predicted(tree, ends, row) {
  const of = (v) => tree.valueOf(v, row);
  if (ends.length === 1 && ends[0].part === 1) return of(ends[0].v);
  const sums = of(0).map(() => 0);
  for (const { v, part } of ends) of(v).forEach((value, k) => { sums[k] += part * value; });
  return sums;
}
