import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, chosenCells, pixels } from "../../src/sentree/app/static/js/rowcard.js";

test("grey levels become bytes, gaps transparent", () => {
  const bytes = [...pixels([0, 1, 0.5, NaN, 7])];
  assert.deepEqual(bytes.slice(0, 12), [0, 0, 0, 255, 255, 255, 255, 255, 128, 128, 128, 255]);
  assert.deepEqual(bytes.slice(12), [0, 0, 0, 0, 255, 255, 255, 255]);
});

test("cells of the features that matter come first", () => {
  const cells = ["a", "b", "c", "d"].map((name) => ({ name, text: name }));
  assert.deepEqual(
    chosenCells(cells, ["d", "b"], 3).map((cell) => cell.name),
    ["d", "b", "a"],
  );
});

test("a card stands beside the pointer and inside the window", () => {
  const card = { width: 100, height: 50 };
  const room = { width: 400, height: 300 };
  assert.deepEqual(beside({ x: 10, y: 10 }, card, room), { x: 24, y: 24 });
  assert.deepEqual(beside({ x: 390, y: 290 }, card, room), { x: 276, y: 246 });
  assert.deepEqual(beside({ x: 5, y: 5 }, { width: 390, height: 50 }, room), { x: 4, y: 19 });
});
