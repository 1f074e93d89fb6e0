// Where nodes stand, on random trees. Run by node's test runner.

import assert from "node:assert/strict";
import test from "node:test";
import { extent, icicle, isMore, openedByRows, placed, shownChildren, walked } from "../../src/treewright/page/static/layout.mjs";
import { contrast, classColours, ink, mixed } from "../../src/treewright/page/static/palette.mjs";

/** A tree of a few arrays, as far as the layout asks. */
function madeTree(seed, most) {
  let x = seed;
  const random = () => { x = (x * 1103515245 + 12345) % 2147483648; return x / 2147483648; };
  const nBranches = [];
  const firstChild = [];
  const parent = [-1];
  const depth = [0];
  const rows = [1000];
  for (let v = 0; v < parent.length; v += 1) {
    const count = parent.length < most && random() < 0.7 ? 2 + Math.floor(random() * random() * 12) : 0;
    nBranches.push(count);
    firstChild.push(count ? parent.length : -1);
    for (let i = 0; i < count; i += 1) {
      parent.push(v);
      depth.push(depth[v] + 1);
      rows.push(Math.floor((rows[v] * random()) / 2));
    }
  }
  return treeOf({ nBranches, firstChild, parent, depth, rows });
}

function treeOf({ nBranches, firstChild, parent, depth, rows }) {
  return {
    size: parent.length, nBranches, firstChild, parent, depth, rows, weight: rows, isLeaf: (v) => nBranches[v] === 0,
    children: (v) => Array.from({ length: nBranches[v] }, (_, i) => firstChild[v] + i),
    path: (v) => { const nodes = [v]; while (nodes[0]) nodes.unshift(parent[nodes[0]]); return nodes; },
  };
}

const seeds = Array.from({ length: 60 }, (_, i) => i + 1);
const stateOf = (tree, most) => ({ opened: openedByRows(tree, most), whole: new Set(), selected: 0 });

for (const direction of ["down", "right", "outline"]) {
  test(`cards do not overlap: ${direction}`, () => {
    for (const seed of seeds) {
      const tree = madeTree(seed, 120);
      const places = [...placed(tree, stateOf(tree, 90), direction, 800).values()];
      places.forEach((a, i) => places.slice(i + 1).forEach((b) => {
        const apart = a.x + a.w <= b.x + 1e-6 || b.x + b.w <= a.x + 1e-6 || a.y + a.h <= b.y + 1e-6 || b.y + b.h <= a.y + 1e-6;
        assert.ok(apart, `seed ${seed}: ${JSON.stringify([a, b])}`);
      }));
    }
  });
}

test("parents stand in the middle of their children, whose order is kept", () => {
  for (const seed of seeds) {
    const tree = madeTree(seed, 120);
    const state = stateOf(tree, 90);
    const places = placed(tree, state, "down");
    for (const v of state.opened) {
      const xs = shownChildren(tree, v, state).map((child) => places.get(child).x);
      assert.ok(Math.abs(places.get(v).x - (xs[0] + xs.at(-1)) / 2) < 1e-6);
      assert.deepEqual(xs, [...xs].sort((a, b) => a - b));
    }
  }
});

test("nothing stands outside", () => {
  for (const seed of seeds) {
    const tree = madeTree(seed, 120);
    const places = placed(tree, stateOf(tree, 60), "right");
    const { width, height } = extent(places);
    for (const { x, y, w, h } of places.values()) assert.ok(x >= 0 && y >= 0 && x + w <= width && y + h <= height);
  }
});

test("no more nodes are opened than asked for, and those of most rows first", () => {
  const tree = madeTree(7, 400);
  for (const most of [7, 20, 60]) {
    const state = stateOf(tree, most);
    assert.ok(walked(tree, state).length <= Math.max(most, 9));
    assert.ok(state.opened.has(0));
  }
});

test("of many branches the largest are shown, and one card for the others", () => {
  const leaves = Array(12).fill(0);
  const tree = treeOf({ nBranches: [12, ...leaves], firstChild: [1, ...leaves], parent: [-1, ...leaves], depth: [0, ...leaves], rows: [78, ...leaves.keys()] });
  const shown = shownChildren(tree, 0, { opened: new Set([0]), whole: new Set(), selected: 0 });
  assert.deepEqual(shown, [6, 7, 8, 9, 10, 11, 12, -1]);
  assert.ok(isMore(shown.at(-1)));
  assert.equal(shownChildren(tree, 0, { opened: new Set([0]), whole: new Set([0]), selected: 0 }).length, 12);
});

test("the icicle is filled by every level that all rows reach", () => {
  const tree = madeTree(3, 200);
  const { from, size } = icicle(tree);
  const sum = tree.children(0).reduce((total, child) => total + size[child], 0);
  assert.ok(Math.abs(sum - 1) < 1e-9);
  for (let v = 1; v < tree.size; v += 1) assert.ok(from[v] >= from[tree.parent[v]] - 1e-9);
});

test("text is read on every colour", () => {
  for (const paper of ["#ffffff", "#1e2329"]) {
    for (const hue of classColours([1, 2, 3, 4, 5, 6, 7, 8], paper)) {
      for (const part of [0.35, 0.6, 0.8, 1]) {
        const fill = mixed(paper, hue, part);
        assert.ok(contrast(fill, ink(fill)) >= 4.5, `${fill}`);
      }
    }
  }
});
