// Where nodes stand: a tidy tree in any of two directions, an outline, and the icicle of the whole tree.

export const CARD = { down: { width: 164, height: 80 }, right: { width: 164, height: 54 }, outline: { width: 0, height: 52 } };
const SPACE = { down: { along: 60, across: 16 }, right: { along: 14, across: 12 } }; // to the right, beside a label
export const LABEL_ROOM = 136; // pixels of the longest label of an edge to the right
const INDENT = 22;
const MOST_BRANCHES = 8; // beyond which the smaller ones stand behind one card

/** The nodes that are opened first: those of most rows, as long as no more than so many are shown. */
export function openedByRows(tree, most, depth = Infinity) {
  const opened = new Set();
  let left = most - 1;
  let waiting = [0];
  while (waiting.length && left > 0) {
    const v = waiting.reduce((best, u) => (tree.rows[u] > tree.rows[best] ? u : best));
    waiting = waiting.filter((u) => u !== v);
    const count = Math.min(tree.nBranches[v], MOST_BRANCHES);
    if (!count || tree.depth[v] >= depth || (count > left && v !== 0)) continue;
    opened.add(v);
    left -= count;
    waiting.push(...largest(tree, v).filter((child) => tree.nBranches[child]));
  }
  return opened;
}

/** What stands below an opened node: its children and, where they are many, a card for the smallest of them. */
export function shownChildren(tree, v, state) {
  if (!state.opened.has(v)) return [];
  const children = tree.children(v);
  if (children.length <= MOST_BRANCHES || state.whole.has(v)) return children;
  return [...largest(tree, v, new Set(tree.path(state.selected))), moreOf(v)];
}

/** The children that are always shown, in their order: of many those that are wanted, that split, and of most rows. */
function largest(tree, v, wanted = new Set()) {
  const children = tree.children(v);
  if (children.length <= MOST_BRANCHES) return children;
  const rank = (child) => 2 * wanted.has(child) + !tree.isLeaf(child);
  const ranked = [...children].sort((a, b) => rank(b) - rank(a) || tree.rows[b] - tree.rows[a] || a - b);
  const kept = new Set(ranked.slice(0, MOST_BRANCHES - 1));
  return children.filter((child) => kept.has(child));
}

/** The card that stands for the smaller branches of a node has a number below zero. */
function moreOf(v) {
  return -1 - v;
}

export function isMore(v) {
  return v < 0;
}

/** The node whose smaller branches a card stands for. */
export function nodeOf(v) {
  return -1 - v;
}

/** The places of all shown nodes: from a node to its corner, in the order of walking; ``room`` is that of labels. */
export function placed(tree, state, direction, width = 0, room = LABEL_ROOM) {
  if (direction === "outline") return outline(tree, state, width);
  const { width: w, height: h } = CARD[direction];
  const isDown = direction === "down";
  const breadth = isDown ? w : h;
  const step = (isDown ? h : w + room) + SPACE[direction].along;
  const across = new Map();
  arrange(tree, state, 0, breadth + SPACE[direction].across, across);
  const left = Math.min(...across.values());
  const places = new Map();
  for (const v of walked(tree, state)) {
    const level = isMore(v) ? tree.depth[nodeOf(v)] + 1 : tree.depth[v];
    const at = across.get(v) - left;
    places.set(v, isDown ? { x: at, y: level * step, w, h } : { x: level * step, y: at, w, h });
  }
  return places;
}

/** Nodes with parents first and branches in order. */
export function walked(tree, state) {
  const found = [];
  const waiting = [0];
  while (waiting.length) {
    const v = waiting.pop();
    found.push(v);
    if (!isMore(v)) waiting.push(...shownChildren(tree, v, state).reverse());
  }
  return found;
}

/**
 * Subtrees side by side, as near as their outlines allow, parents in the middle above their first and last child
 * (Reingold and Tilford 1981). Returns the outline: the least and greatest place on every level from the node down.
 */
function arrange(tree, state, v, slot, across) {
  const children = isMore(v) ? [] : shownChildren(tree, v, state);
  if (!children.length) {
    across.set(v, 0);
    return { low: [0], high: [0] };
  }
  let outer = null;
  for (const child of children) {
    const inner = arrange(tree, state, child, slot, across);
    let shift = 0;
    if (outer) {
      for (let level = 0; level < Math.min(outer.high.length, inner.low.length); level += 1) {
        shift = Math.max(shift, outer.high[level] - inner.low[level] + slot);
      }
      moved(tree, state, child, shift, across);
    }
    outer = joined(outer, inner, shift);
  }
  const middle = (across.get(children[0]) + across.get(children.at(-1))) / 2;
  across.set(v, middle);
  return { low: [middle, ...outer.low], high: [middle, ...outer.high] };
}

function joined(outer, inner, shift) {
  if (!outer) return inner;
  const levels = Math.max(outer.low.length, inner.low.length);
  const at = (level) => [
    outer.low[level] ?? inner.low[level] + shift,
    inner.high[level] === undefined ? outer.high[level] : inner.high[level] + shift,
  ];
  const ends = Array.from({ length: levels }, (_, level) => at(level));
  return { low: ends.map(([low]) => low), high: ends.map(([, high]) => high) };
}

function moved(tree, state, v, shift, across) {
  const waiting = [v];
  while (waiting.length) {
    const u = waiting.pop();
    across.set(u, across.get(u) + shift);
    if (!isMore(u)) waiting.push(...shownChildren(tree, u, state));
  }
}

function outline(tree, state, width) {
  const places = new Map();
  walked(tree, state).forEach((v, i) => {
    const level = isMore(v) ? tree.depth[nodeOf(v)] + 1 : tree.depth[v];
    const x = Math.min(level * INDENT, width * 0.4);
    places.set(v, { x, y: i * (CARD.outline.height + 6), w: Math.max(160, width - x), h: CARD.outline.height });
  });
  return places;
}

/** The room that places take. */
export function extent(places) {
  let [right, bottom] = [0, 0];
  for (const { x, y, w, h } of places.values()) {
    right = Math.max(right, x + w);
    bottom = Math.max(bottom, y + h);
  }
  return { width: right, height: bottom };
}

/** The icicle: where each node's range begins and how wide it is, as a part of the root's. */
export function icicle(tree) {
  const from = new Float64Array(tree.size);
  const size = new Float64Array(tree.size);
  size[0] = 1;
  for (let v = 0; v < tree.size; v += 1) {
    if (tree.isLeaf(v)) continue;
    const children = tree.children(v);
    const total = children.reduce((sum, child) => sum + tree.weight[child], 0);
    let at = from[v];
    for (const child of children) {
      from[child] = at;
      size[child] = size[v] * (total > 0 ? tree.weight[child] / total : 1 / children.length);
      at += size[child];
    }
  }
  return { from, size };
}

/** How many nodes are below each. */
export function nodesBelow(tree) {
  const sums = new Int32Array(tree.size);
  for (let v = tree.size - 1; v > 0; v -= 1) sums[tree.parent[v]] += sums[v] + 1;
  return sums;
}
