/** How the page listens to the server. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { http } from "../../src/sentree/app/static/js/transport.js";

test("a tab listens while it is seen", () => {
  /** @type {FakeSource[]} */
  const opened = [];
  class FakeSource extends EventTarget {
    open = true;
    /** @param {string} path */
    constructor(path) {
      super();
      assert.equal(path, "/api/events");
      opened.push(this);
    }
    close() {
      this.open = false;
    }
  }
  const page = Object.assign(new EventTarget(), { hidden: true });
  Object.assign(globalThis, { EventSource: FakeSource, document: page });
  /** @param {boolean} seen */
  const turn = (seen) => {
    page.hidden = !seen;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  const listening = () => opened.map((one) => one.open);

  /** @type {any[]} */
  const told = [];
  const end = http().onChange((event) => told.push(event), (yes) => told.push(yes));
  assert.deepEqual(listening(), []); // opened behind another tab
  turn(true);
  turn(true);
  assert.deepEqual(listening(), [true]);
  opened[0].dispatchEvent(new Event("open"));
  opened[0].dispatchEvent(Object.assign(new Event("state"), { data: '{"version":3}' }));
  assert.deepEqual(told, [true, { version: 3 }]);
  turn(false);
  assert.deepEqual(listening(), [false]);
  assert.equal(told.length, 2); // nothing is lost: it is not told so
  turn(true);
  assert.deepEqual(listening(), [false, true]);
  end();
  turn(false);
  turn(true);
  assert.deepEqual(listening(), [false, false]);
});
