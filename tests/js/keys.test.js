import assert from "node:assert/strict";
import { test } from "node:test";
import { listed, pressed } from "../../src/sentree/app/static/js/keys.js";

test("what was pressed has a name", () => {
  const plain = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  assert.equal(pressed({ ...plain, key: "N", shiftKey: true }), "n");
  assert.equal(pressed({ ...plain, key: "?", shiftKey: true }), "?");
  assert.equal(pressed({ ...plain, key: "Z", metaKey: true, shiftKey: true }), "Ctrl+Shift+z");
  assert.equal(pressed({ ...plain, key: "z", ctrlKey: true }), "Ctrl+z");
  assert.equal(pressed({ ...plain, key: "ArrowUp", shiftKey: true }), "Shift+ArrowUp");
});

test("the help lists shortcuts by group", () => {
  const run = () => {};
  const found = listed([
    { keys: ["/"], text: "Find", group: "Page", run },
    { keys: ["1", "2"], shown: "1-9", text: "That group", group: "Questions", run },
    { keys: ["?"], text: "Help", group: "Page", run },
  ]);
  assert.deepEqual(found, [
    {
      group: "Page",
      rows: [
        { keys: ["/"], text: "Find" },
        { keys: ["?"], text: "Help" },
      ],
    },
    { group: "Questions", rows: [{ keys: ["1-9"], text: "That group" }] },
  ]);
});
