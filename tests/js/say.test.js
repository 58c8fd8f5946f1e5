import assert from "node:assert/strict";
import { test } from "node:test";
import { actions } from "../../src/sentree/app/static/js/say.js";
import { clock, verdict } from "../../src/sentree/app/static/js/statements.js";
import { effect, summary } from "../../src/sentree/app/static/js/status.js";
import { Store } from "../../src/sentree/app/static/js/store.js";

/** A store whose server takes everything and remembers it. */
function made() {
  /** @type {any[]} */
  const said = [];
  const transport = /** @type {any} */ ({
    call: async (/** @type {string} */ method, /** @type {string} */ path, /** @type {any} */ body) => {
      if (path === "/api/say") said.push(body);
      return path === "/api/state" ? { version: 1, clusters: [], data: {}, project: {} } : {};
    },
  });
  return { store: new Store(transport), said };
}

/**
 * @param {Store} store
 * @param {string} id
 */
function action(store, id) {
  const found = actions(store).find((one) => one.id === id);
  assert.ok(found);
  return found;
}

test("what can be said depends on how many rows are selected", () => {
  const { store } = made();
  store.select([3], "click");
  assert.ok(action(store, "same").needs);
  assert.ok(!action(store, "stays").needs);
  store.select([5], "click", "add");
  assert.ok(!action(store, "same").needs);
  assert.ok(!action(store, "different").needs);
  store.select(Array.from({ length: 51 }, (_, i) => i), "lasso");
  assert.ok(action(store, "different").needs);
});

test("selecting: rows are sorted, each once; add and remove", () => {
  const { store } = made();
  store.select([9, 2, 2], "lasso");
  assert.deepEqual(store.selection.rows, [2, 9]);
  store.select([10, 2], "lasso", "add");
  assert.deepEqual(store.selection.rows, [2, 9, 10]);
  store.select([9], "click", "remove");
  assert.deepEqual(store.selection.rows, [2, 10]);
});

test("a statement says rows and origin, and clears the selection", async () => {
  const { store, said } = made();
  store.select([4, 1], "lasso");
  await action(store, "same").run();
  assert.deepEqual(said, [{ origin: "lasso", kind: "same", rows: [1, 4] }]);
  assert.deepEqual(store.selection.rows, []);
});

test("two groups differ: A and the selection", async () => {
  const { store, said } = made();
  store.select([1, 2], "lasso");
  await action(store, "keep").run();
  assert.deepEqual(store.selection.rows, []);
  store.select([7], "click");
  await action(store, "different").run();
  assert.deepEqual(said, [{ origin: "click", kind: "different", rows: [1, 2], others: [7] }]);
  assert.equal(store.kept, null);
});

test("verdicts, times and the summary in words", () => {
  const statement = /** @type {any} */ ({ state: "active", verdict: "broken", broken: 3 });
  assert.equal(verdict(statement), "broken at 3 places");
  assert.equal(verdict({ ...statement, verdict: "applied" }), "done");
  assert.equal(verdict({ ...statement, state: "undone" }), "undone");
  const now = new Date(2026, 10, 17, 12);
  assert.equal(clock(new Date(2026, 10, 17, 9, 5).toISOString(), now), "09:05");
  assert.equal(clock(new Date(2026, 10, 16, 9, 5).toISOString(), now), "16 Nov 09:05");
  const state = /** @type {any} */ ({ clusters: [1, 2, 3], data: { n: 1797 }, moved: { n: 12 } });
  assert.equal(summary(state), "3 clusters, 1,797 rows; 12 rows moved");
});

test("what a change has done is told", () => {
  const state = (/** @type {number} */ n, /** @type {string} */ kind, /** @type {string} */ verdict) =>
    /** @type {any} */ ({ moved: { n, by: 1 }, statements: [{ id: 1, kind, verdict }] });
  assert.equal(effect(state(1, "same", "kept"), true), "1 row moved");
  assert.match(effect(state(0, "same", "kept"), true), /^Nothing moved/);
  assert.equal(effect(state(0, "same", "kept"), false), "");
  assert.equal(effect(state(0, "rename", "applied"), true), "");
  assert.match(effect(state(0, "different", "contradicting"), true), /contradicts/);
  assert.equal(effect(/** @type {any} */ ({ moved: { n: 0, by: null }, statements: [] }), false), "");
});
