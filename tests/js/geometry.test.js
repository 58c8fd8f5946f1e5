import assert from "node:assert/strict";
import { test } from "node:test";
import { box, Grid, inPolygon, pointsInPolygon, View } from "../../src/sentree/app/static/js/geometry.js";

// An L: the upper right quarter of the square 0 to 2 is missing.
const L = [0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2];

test("inside and outside of a polygon that is not convex", () => {
  assert.equal(inPolygon(0.5, 1.5, L), true);
  assert.equal(inPolygon(1.5, 0.5, L), true);
  assert.equal(inPolygon(1.5, 1.5, L), false);
  assert.equal(inPolygon(-0.1, 0.5, L), false);
});

test("points inside a polygon are found in their order", () => {
  const xy = new Float32Array([1.5, 1.5, 0.5, 0.5, 3, 3, 1.5, 0.25]);
  assert.deepEqual(pointsInPolygon(xy, L), [1, 3]);
  assert.deepEqual(pointsInPolygon(xy, [0, 0, 2, 2]), []);
});

test("the box around points", () => {
  const xy = [1, 5, -2, 0, 3, 3];
  assert.deepEqual(box(xy), { left: -2, right: 3, bottom: 0, top: 5 });
  assert.deepEqual(box(xy, [0, 2]), { left: 1, right: 3, bottom: 3, top: 5 });
  assert.equal(box(xy, []), null);
});

test("the nearest point is the one that all distances say", () => {
  let seed = 1;
  const random = () => ((seed = (seed * 16807) % 2147483647) / 2147483647) * 2 - 1;
  const xy = Float32Array.from({ length: 600 }, random);
  const grid = new Grid(xy);
  for (let trial = 0; trial < 200; trial++) {
    const [x, y, reach] = [random(), random(), 0.08];
    let best = -1;
    let least = reach * reach;
    for (let i = 0; i < 300; i++) {
      const d = (xy[2 * i] - x) ** 2 + (xy[2 * i + 1] - y) ** 2;
      if (d <= least) [least, best] = [d, i];
    }
    assert.equal(grid.nearest(x, y, reach), best);
  }
});

test("the view: there and back, zoom about a pixel, a box fits", () => {
  const view = new View();
  Object.assign(view, { width: 800, height: 400 });
  assert.deepEqual(view.toScreen(0, 0), [400, 200]);
  assert.deepEqual(view.toScreen(1, 1), [600, 0]);
  view.pan(30, -20);
  const before = view.toPlane(123, 45);
  view.zoom(2.5, 123, 45);
  const after = view.toPlane(123, 45);
  assert.ok(Math.abs(before[0] - after[0]) < 1e-12 && Math.abs(before[1] - after[1]) < 1e-12);
  view.fit({ left: 0, right: 1, bottom: 0, top: 1 }, 1);
  assert.deepEqual(view.toScreen(0.5, 0.5).map(Math.round), [400, 200]);
  assert.deepEqual(view.toScreen(0.5, 1).map(Math.round), [400, 0]);
});
