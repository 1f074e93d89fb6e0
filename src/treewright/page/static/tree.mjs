// A tree as the page knows it: arrays by node, and what can be read off them.

import { formatNumber, formatRounded, levelText, oneLine, pText } from "./number_text.mjs";

const ARRAYS = {
  u1: Uint8Array, i1: Int8Array, u2: Uint16Array, i2: Int16Array,
  u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array,
};
const ROUNDING = 1e-9; // shares this close are equal

export const EVERY_BRANCH = -1; // by the share each child has of the weight of all children
export const STOP = -2; // none: the answer is that of the node
export const AS_MISSING = -3; // of a level that did not occur at the node, where surrogates are asked first

/** An array out of its text, "u1:AQID". */
export function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.slice(3)), (c) => c.charCodeAt(0));
  return new ARRAYS[text.slice(0, 2)](bytes.buffer);
}

/** Where the parts of an array begin that lie end to end, one more start than parts. */
function startsOf(sizes) {
  const starts = new Int32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i += 1) starts[i + 1] = starts[i] + sizes[i];
  return starts;
}

export class Tree {
  constructor(view) {
    this.view = view;
    this.target = view.target;
    this.columns = view.columns;
    this.classes = view.target.classes;
    this.texts = this.classes ? this.classes.map(levelText) : [];
    const nodes = view.nodes;
    const read = (name) => (nodes[name] === undefined ? null : unpacked(nodes[name]));
    this.nBranches = read("branches");
    this.size = this.nBranches.length;
    this.#link(read("first_child"));
    this.#readSplits(read);
    this.#readAnswers(read);
    this.#readSurrogates(read);
    this.#readModels(read);
    this.share = read("share");
    this.tests = read("tests");
    this.holdout = view.holdout && {
      rows: unpacked(view.holdout.rows), errors: unpacked(view.holdout.errors), differs: unpacked(view.holdout.differs),
      error: view.holdout.error,
    };
  }

  /** Parents, depths and places among the nodes that split. */
  #link(firstChild) {
    const n = this.size;
    this.firstChild = new Int32Array(n).fill(-1);
    this.parent = new Int32Array(n).fill(-1);
    this.depth = new Int32Array(n);
    this.inner = new Int32Array(n).fill(-1);
    let next = 1;
    let inner = 0;
    for (let v = 0; v < n; v += 1) {
      const count = this.nBranches[v];
      if (!count) continue;
      const first = firstChild ? firstChild[v] : next;
      this.firstChild[v] = first;
      this.inner[v] = inner;
      inner += 1;
      next += count;
      for (let child = first; child < first + count; child += 1) {
        this.parent[child] = v;
        this.depth[child] = this.depth[v] + 1;
      }
    }
    this.maxDepth = this.depth.reduce((most, depth) => Math.max(most, depth), 0);
    this.nLeaves = n - inner;
  }

  #readSplits(read) {
    this.column = read("column");
    this.edgeStart = startsOf(read("n_edges"));
    this.edges = read("edges");
    this.codeStart = startsOf(read("codes"));
    this.branchOf = read("branch_of");
    this.gain = read("gain");
    this.missing = read("missing");
    this.bounds = read("bounds");
    this.#readCuts(read("printed") ?? this.edges);
  }

  /** What is printed for the cuts of each column: words, or of two numbers for the same cut the nearer one. */
  #readCuts(printed) {
    for (const column of this.columns) column.cuts = new Map();
    this.column.forEach((place, i) => {
      const { cuts } = this.columns[place];
      for (let k = this.edgeStart[i]; k < this.edgeStart[i + 1]; k += 1) {
        const edge = this.edges[k];
        const nearer = !(Math.abs(cuts.get(edge) - edge) <= Math.abs(printed[k] - edge));
        if (nearer) cuts.set(edge, this.view.nodes.cut_words?.[k] ?? printed[k]);
      }
    });
  }

  #readAnswers(read) {
    this.value = read("value"); // of numbers
    this.spread = read("spread");
    if (!this.classes) {
      this.rows = read("rows");
      this.weight = read("weight") ?? this.rows;
      return;
    }
    const K = this.classes.length;
    const stats = read("stats");
    const counts = read("n_classes");
    this.stats = counts ? dense(counts, read("class"), stats, K) : stats;
    this.weight = new Float64Array(this.size);
    this.shares = new Float64Array(this.size * K);
    for (let v = 0; v < this.size; v += 1) {
      let total = 0;
      for (let k = 0; k < K; k += 1) total += this.stats[v * K + k];
      this.weight[v] = total;
      for (let k = 0; k < K; k += 1) this.shares[v * K + k] = total > 0 ? this.stats[v * K + k] / total : 0;
    }
    const other = read("other_value");
    const values = read("values");
    other?.forEach((v, i) => this.shares.set(values.subarray(i * K, (i + 1) * K), v * K));
    this.rows = read("rows") ?? this.weight;
    this.decision = Int32Array.from({ length: this.size }, (_, v) => this.decided(this.sharesOf(v)));
  }

  #readModels(read) {
    this.equations = this.view.nodes.equations ?? null; // of trees whose leaves predict by a linear model
    if (!this.equations) return;
    this.models = Object.fromEntries(["term_column", "term_start", "scores", "model_start", "term", "slope", "intercept", "low", "high", "model_error"]
      .map((name) => [name, read(name)]));
  }

  #readSurrogates(read) {
    const counts = read("n_surrogates");
    if (!counts) return;
    this.surrogates = {
      start: startsOf(counts), column: read("surrogate_column"), edge: read("surrogate_edge"),
      codeStart: startsOf(read("surrogate_codes")), branchOf: read("surrogate_branch_of"), agreement: read("agreement"),
    };
  }

  // ---- nodes -------------------------------------------------------------------------------------------------------

  isLeaf(v) {
    return this.nBranches[v] === 0;
  }

  children(v) {
    return Array.from({ length: this.nBranches[v] }, (_, branch) => this.firstChild[v] + branch);
  }

  branch(v) {
    return v ? v - this.firstChild[this.parent[v]] : -1;
  }

  /** From the root to a node. */
  path(v) {
    const nodes = [v];
    while (nodes[0] > 0) nodes.unshift(this.parent[nodes[0]]);
    return nodes;
  }

  /** The nodes below a node, itself not counted. */
  nBelow(v) {
    let count = 0;
    const waiting = [v];
    while (waiting.length) {
      const node = waiting.pop();
      count += this.nBranches[node];
      waiting.push(...this.children(node));
    }
    return count;
  }

  /** The test of a node: its column, its edges and the branch of every code. */
  split(v) {
    const i = this.inner[v];
    if (i < 0) return null;
    const from = this.edgeStart[i];
    const bounds = this.bounds?.subarray(2 * from, 2 * from + 2);
    return {
      column: this.columns[this.column[i]],
      place: this.column[i],
      edges: this.edges.subarray(from, this.edgeStart[i + 1]),
      branchOf: this.branchOf.subarray(this.codeStart[i], this.codeStart[i + 1]),
      bounds: bounds?.length && this.edgeStart[i + 1] > from && bounds[0] !== bounds[1] ? [...bounds] : null,
    };
  }

  /** Training rows at a node whose tested value was missing. */
  missingAt(v) {
    return this.missing && this.inner[v] >= 0 ? this.missing[this.inner[v]] : 0;
  }

  surrogatesOf(v) {
    if (!this.surrogates) return [];
    const { start, column, edge, codeStart, branchOf, agreement } = this.surrogates;
    return Array.from({ length: start[v + 1] - start[v] }, (_, i) => {
      const k = start[v] + i;
      return {
        split: {
          column: this.columns[column[k]], place: column[k],
          edges: Number.isNaN(edge[k]) ? edge.subarray(0, 0) : edge.subarray(k, k + 1),
          branchOf: branchOf.subarray(codeStart[k], codeStart[k + 1]), bounds: null,
        },
        agreement: agreement[k],
      };
    });
  }

  /** The significance of a split in words, where the learner tested it. */
  testText(v) {
    const numbers = this.#test(v);
    if (!numbers) return "";
    const [kind, statistic, freedom, within, logP, logAdjusted] = numbers;
    const name = this.view.nodes.test_names[kind];
    const df = within ? `${formatNumber(freedom)}, ${formatNumber(within)}` : formatNumber(freedom);
    const adjusted = logAdjusted > logP ? ` (adjusted ${pText(logAdjusted)})` : "";
    return `${name} = ${formatNumber(statistic, 4)}, df = ${df}, p = ${pText(logP)}${adjusted}`;
  }

  /** How good the split is, in a few letters. */
  splitScore(v) {
    const numbers = this.#test(v);
    if (numbers) return `p ${pText(numbers[5]).replace(/^/, numbers[5] < Math.log(0.001) ? "" : "= ")}`;
    return `gain ${formatNumber(this.gain[this.inner[v]], 3)}`;
  }

  #test(v) {
    const i = this.inner[v];
    return this.tests && i >= 0 ? this.tests.subarray(6 * i, 6 * i + 6) : null;
  }

  // ---- answers -----------------------------------------------------------------------------------------------------

  sharesOf(v) {
    const K = this.classes.length;
    return this.shares.subarray(v * K, (v + 1) * K);
  }

  statsOf(v) {
    const K = this.classes.length;
    return this.stats.subarray(v * K, (v + 1) * K);
  }

  /** The class of least expected cost, or of the greatest share; of those equal but for rounding, the first. */
  decided(shares) {
    return decided(this.target, shares);
  }

  /** What a node predicts of a row: probabilities, or a number. */
  valueOf(v, row) {
    if (!this.equations) return this.classes ? [...this.sharesOf(v)] : [this.value[v]];
    const m = this.models;
    const K = this.classes ? this.classes.length : 1;
    const scores = Array.from({ length: K }, (_, k) => {
      let total = 0;
      for (let i = m.model_start[v * K + k]; i < m.model_start[v * K + k + 1]; i += 1) {
        const t = m.term[i];
        const cell = row[m.term_column[t]];
        const isNumber = m.term_start[t + 1] - m.term_start[t] === 1;
        total += m.slope[i] * (cell !== null && isNumber ? cell : m.scores[m.term_start[t] + (cell ?? 0)]);
      }
      return total + m.intercept[v * K + k];
    });
    if (!this.classes) return [Math.min(Math.max(scores[0], m.low[v]), m.high[v])];
    const most = Math.max(...scores);
    const odds = scores.map((score) => Math.exp(score - most));
    const all = odds.reduce((sum, one) => sum + one, 0);
    return odds.map((one) => one / all);
  }

  /** The prediction in words. */
  answer(v) {
    if (this.equations) return this.equations[v];
    return this.classes ? this.texts[this.decision[v]] : this.number(this.value[v]);
  }

  /** The same, short: of a linear model the mean of its rows, of a logistic one the commonest class. */
  shortAnswer(v) {
    if (!this.equations) return this.answer(v);
    return this.classes ? this.texts[this.decision[v]] : this.number(this.value[v]);
  }

  number(x) {
    const { decimals } = this.target;
    return x === 0 || Math.abs(x) >= 10 ** -decimals ? formatRounded(x, decimals) : formatNumber(x, 2);
  }

  get targetName() {
    return oneLine(this.target.name);
  }

  /** The probability of the predicted class; of numbers, the part of the target's spread that the node explains. */
  confidence(v) {
    if (this.classes) return this.sharesOf(v)[this.decision[v]];
    return this.spread[0] > 0 ? Math.max(0, 1 - this.spread[v] / this.spread[0]) : 1;
  }

  /** The share of training rows that are of another class; of numbers, their spread. */
  error(v) {
    if (this.equations) return this.models.model_error[v];
    if (!this.classes) return this.spread[v];
    return this.weight[v] > 0 ? 1 - this.statsOf(v)[this.decision[v]] / this.weight[v] : 0;
  }

  /** How much larger the error is on the hold-out rows, relative to the error of the root; null: no such row. */
  excess(v) {
    if (!this.holdout || !this.holdout.rows[v]) return null;
    const scale = this.classes ? 1 : this.spread[0] || 1;
    return (this.holdout.errors[v] - this.error(v)) / scale;
  }
}

/** The class of least expected cost, or of the greatest share; of those equal but for rounding, the first. */
export function decided({ costs }, shares) {
  let scores = shares;
  if (costs) {
    const most = Math.max(...costs.flat()) || 1;
    scores = costs[0].map((_, j) => -costs.reduce((sum, row, i) => sum + shares[i] * row[j], 0) / most);
  }
  let best = -Infinity;
  for (const score of scores) best = Math.max(best, score);
  return scores.findIndex((score) => score >= best - ROUNDING);
}

function dense(counts, classes, weights, K) {
  const stats = new Float64Array(counts.length * K);
  let at = 0;
  counts.forEach((count, v) => {
    for (let i = 0; i < count; i += 1, at += 1) stats[v * K + classes[at]] = weights[at];
  });
  return stats;
}
