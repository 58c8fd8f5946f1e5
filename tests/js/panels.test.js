import assert from "node:assert/strict";
import { test } from "node:test";
import { chunks, idsOf } from "../../src/sentree/app/static/js/find.js";
import { placed } from "../../src/sentree/app/static/js/guide.js";
import { most, supported } from "../../src/sentree/app/static/js/scale.js";
import { bytesText, stage } from "../../src/sentree/app/static/js/start.js";
import { inkOn, sums } from "../../src/sentree/app/static/js/tree.js";

test("ids of a pasted list", () => {
  assert.deepEqual(idsOf('a1\r\n"b, 2"\n\n a1 ;c\td'), ["a1", '"b', '2"', "c", "d"]);
  assert.deepEqual(idsOf("'x y'\nx y"), ["x y"]);
  assert.deepEqual(idsOf(" \n"), []);
  assert.deepEqual(chunks([1, 2, 3], 2), [[1, 2], [3]]);
});

test("the slider reaches what is known and found, but not more than there are rows", () => {
  const scale = { asked: null, found: 3, text: "", evidence: [{ k: 25, value: 1 }] };
  assert.equal(most(scale, 1000), 25);
  assert.equal(most({ ...scale, found: 30 }, 1000), 60);
  assert.equal(most({ ...scale, evidence: [] }, 1000), 20);
  assert.equal(most(scale, 8), 7);
});

test("the numbers that are supported most, in their order", () => {
  const evidence = Array.from({ length: 12 }, (_, at) => ({
    k: at + 2,
    value: at === 11 ? 0.5 : (11 - at) / 100,
  }));
  assert.deepEqual(
    supported(evidence).map((one) => one.k),
    [2, 3, 4, 5, 6, 7, 8, 13],
  );
});

test("sizes of files", () => {
  assert.deepEqual([12, 999, 1000, 4212345, 3e10].map(bytesText), [
    "12 bytes",
    "999 bytes",
    "1.0 kB",
    "4.2 MB",
    "30 GB",
  ]);
});

test("what the page begins with", () => {
  /** @type {(phase: string, clusters?: any[]) => any} */
  const state = (phase, clusters) => ({ status: { phase }, clusters });
  assert.equal(stage(null, false), null);
  assert.equal(stage(state("empty"), false), "choose");
  assert.equal(stage(state("fitting", []), false), "wait");
  assert.equal(stage(state("failed", []), false), "choose");
  assert.equal(stage(state("ready", [{}]), false), null);
  assert.equal(stage(state("ready", [{}]), true), "choose");
  assert.equal(stage(state("fitting", [{}]), false), null);
});

test("how many rows of a branch are selected", () => {
  const before = sums([4, 2, 0, 3, 1], [0, 4, 3]);
  assert.deepEqual([...before], [0, 1, 1, 2, 3, 3]);
  assert.equal(before[4] - before[1], 2); // of the branch with the rows 2, 0, 3
});

test("text is read on its colour", () => {
  assert.deepEqual(["#ffffff", "#000000", "#0072b2", "#e69f00"].map(inkOn), [
    "#000000",
    "#ffffff",
    "#ffffff",
    "#000000",
  ]);
});

test("the note of the tour stands by what it is about, inside the window", () => {
  const room = { width: 1000, height: 800 };
  const note = { width: 300, height: 150 };
  assert.deepEqual(placed({ left: 800, top: 10, right: 900, bottom: 40 }, note, room), { x: 688, y: 52 });
  assert.deepEqual(placed({ left: 700, top: 50, right: 1000, bottom: 780 }, note, room), { x: 388, y: 62 });
  assert.deepEqual(placed({ left: 0, top: 50, right: 700, bottom: 780 }, note, room), { x: 200, y: 618 });
});
