import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenCells, fetchRows, pixels } from "../../src/sentree/app/static/js/rowcard.js";

test("grey levels become bytes, gaps transparent", () => {
  assert.deepEqual([...pixels([0, 1, 0.5, NaN, 7])], [0, 0, 0, 255, 255, 255, 255, 255, 128, 128, 128, 255, 0, 0, 0, 0, 255, 255, 255, 255]);
});

test("cells of the features that matter come first", () => {
  const cells = ["a", "b", "c", "d"].map((name) => ({ name, text: name }));
  assert.deepEqual(chosenCells(cells, ["d", "b"], 3).map((cell) => cell.name), ["d", "b", "a"]);
});

test("each row is fetched once until something changes", async () => {
  /** @type {number[][]} */
  const asked = [];
  const transport = {
    call: async (/** @type {string} */ _method, /** @type {string} */ _path, /** @type {any} */ body) => {
      asked.push(body.rows);
      return { rows: body.rows.filter((/** @type {number} */ row) => row < 10).map((/** @type {number} */ row) => ({ row })) };
    },
  };
  const store = { state: { version: 1 }, transport };
  assert.deepEqual((await fetchRows(store, [3, 1, 3])).map((one) => one.row), [3, 1, 3]);
  assert.deepEqual((await fetchRows(store, [1, 2, 99])).map((one) => one.row), [1, 2]);
  store.state = { version: 2 };
  await fetchRows(store, [1]);
  assert.deepEqual(asked, [[3, 1], [2, 99], [1]]);
});

test("a failure is not remembered", async () => {
  let fails = true;
  const transport = { call: async () => { if (fails) throw new Error("gone"); return { rows: [{ row: 1 }] }; } };
  const store = { state: { version: 1 }, transport };
  await assert.rejects(fetchRows(store, [1]), /gone/);
  fails = false;
  assert.equal((await fetchRows(store, [1])).length, 1);
});
