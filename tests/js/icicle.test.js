import assert from "node:assert/strict";
import { test } from "node:test";
import { columns, icicle, rowsOf, step } from "../../src/sentree/app/static/js/icicle.js";

/** @type {(id: number, parent: number | null, start: number, end: number, cluster?: number | null) => any} */
const node = (id, parent, start, end, cluster = null) => ({
  id,
  parent,
  depth: 0,
  size: end - start,
  start,
  end,
  cluster,
  name: null,
});

const nodes = [
  node(0, null, 0, 10),
  node(1, 0, 0, 3, 0),
  node(2, 0, 3, 9, 1),
  node(3, 0, 9, 10, 2),
  node(4, 2, 3, 5, 1),
  node(5, 2, 5, 9, 1),
];

test("siblings stand from the largest to the smallest, inside their parent", () => {
  const found = icicle(nodes).map((b) =>
    [b.key, b.level, b.from * 10, b.to * 10].map((x) => (typeof x === "number" ? Math.round(x) : x)),
  );
  assert.deepEqual(found, [
    ["0", 0, 0, 10],
    ["2", 1, 0, 6],
    ["1", 1, 6, 9],
    ["3", 1, 9, 10],
    ["5", 2, 0, 4],
    ["4", 2, 4, 6],
  ]);
});

test("branches too small to be seen are one block with all their rows", () => {
  const blocks = icicle(nodes, { smallest: 0.4 });
  const small = blocks.find((block) => !block.node);
  assert.equal(small?.key, "small-0");
  assert.equal(small?.size, 4);
  const order = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
  assert.deepEqual(rowsOf(/** @type {any} */ (small), order), [9, 8, 7, 0]);
  assert.deepEqual(rowsOf(blocks[1], order), [6, 5, 4, 3, 2, 1]);
});

test("a single small branch stays itself", () => {
  assert.deepEqual(
    icicle(nodes, { smallest: 0.25 })
      .filter((b) => b.level === 1)
      .map((b) => b.key),
    ["2", "1", "3"],
  );
});

test("no more blocks than asked for, and the largest branches are opened", () => {
  const wide = [node(0, null, 0, 1000)];
  for (let k = 0; k < 500; k++) wide.push(node(k + 1, 0, 2 * k, 2 * k + 2));
  assert.equal(icicle(wide).length, 1); // all too small to be seen
  assert.equal(icicle(wide, { smallest: 0 }).length, 1); // 500 would be too many
  assert.equal(icicle(nodes, { most: 4 }).length, 4);
  assert.deepEqual(icicle([]), []);
});

test("a branch as the whole", () => {
  assert.deepEqual(
    icicle(nodes, { root: 2 }).map((b) => [b.key, b.level]),
    [
      ["2", 0],
      ["5", 1],
      ["4", 1],
    ],
  );
});

test("arrow keys walk along a level, in and out", () => {
  const blocks = icicle(nodes);
  assert.equal(step(blocks, "2", "after"), "1");
  assert.equal(step(blocks, "2", "before"), "2");
  assert.equal(step(blocks, "2", "in"), "5");
  assert.equal(step(blocks, "4", "out"), "2");
  assert.equal(step(blocks, "1", "last"), "3");
  assert.equal(step(blocks, "gone", "in"), "0");
});

test("clusters end at one line whatever their level, parts begin there", () => {
  // 0 is all rows; 1 is a cluster; 2 joins the clusters 3 and 4; 5 and 6 are the parts of 1.
  const two = [
    node(0, null, 0, 8),
    node(1, 0, 0, 4, 0),
    node(2, 0, 4, 8),
    node(3, 2, 4, 6, 1),
    node(4, 2, 6, 8, 2),
    node(5, 1, 0, 2, 0),
    node(6, 1, 2, 4, 0),
  ];
  const found = columns(icicle(two), 300);
  const kinds = [...found].map(([key, one]) => [key, one.kind, one.start, one.start + one.deep]);
  // 2 columns of 20 for unions, 130 for clusters and 130 for parts; clusters without parts go on to the end.
  assert.deepEqual(kinds.sort(), [
    ["0", "union", 0, 20],
    ["1", "cluster", 20, 170],
    ["2", "union", 20, 40],
    ["3", "cluster", 40, 300],
    ["4", "cluster", 40, 300],
    ["5", "part", 170, 300],
    ["6", "part", 170, 300],
  ]);
});
