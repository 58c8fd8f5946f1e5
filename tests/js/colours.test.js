import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterColour, mix, nothing, parse, scaleColour, STEPS } from "../../src/sentree/app/static/js/colours.js";
import { blend, byCluster, steps } from "../../src/sentree/app/static/js/colouring.js";

/** @param {string} colour */
function lightness(colour) {
  const [r, g, b] = parse(colour).map((v) => ((v / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * How far two colours are, roughly, for people who see no red (after Viénot, Brettel and Mollon 1999).
 * @param {string} a
 * @param {string} b
 */
function farForProtan(a, b) {
  const [x, y] = [a, b].map((colour) => {
    const [r, g, bl] = parse(colour);
    const yellow = 0.11238 * r + 0.88762 * g;
    return [yellow, yellow, 0.00401 * r - 0.00401 * g + bl];
  });
  return Math.hypot(...x.map((value, i) => value - y[i]));
}

test("fifty slots have fifty colours, in light and dark", () => {
  for (const dark of [false, true]) {
    const colours = Array.from({ length: 50 }, (_, slot) => clusterColour(slot, dark));
    assert.equal(new Set(colours).size, 50);
    assert.ok(!colours.includes(nothing(dark)));
  }
  assert.equal(clusterColour(50, false), clusterColour(0, false));
});

test("the first ten colours differ for people who see no red", () => {
  for (let a = 0; a < 10; a++) {
    for (let b = 0; b < a; b++) {
      const far = farForProtan(clusterColour(a, false), clusterColour(b, false));
      assert.ok(far > 20, `slots ${a} and ${b} are ${far} apart`);
    }
  }
});

test("the first ten colours are seen on white and on the dark page", () => {
  for (let slot = 0; slot < 10; slot++) {
    assert.ok(1.05 / (lightness(clusterColour(slot, false)) + 0.05) > 1.6, `slot ${slot} on white`);
    assert.ok((lightness(clusterColour(slot, true)) + 0.05) / (lightness("#16191d") + 0.05) > 3, `slot ${slot} on dark`);
  }
});

test("mixing", () => {
  assert.equal(mix("#000000", "#ffffff", 0.5), "#808080");
  assert.equal(mix("#102030", "#ffffff", 0), "#102030");
});

test("numbers become steps of the scale, gaps a step of their own", () => {
  assert.deepEqual([...steps([0, 1, 0.5, NaN, 7], 0, 1)], [0, STEPS - 1, STEPS / 2, STEPS, STEPS - 1]);
  assert.deepEqual([...steps([3, 3], 3, 3)], [0, 0]);
  assert.equal(scaleColour(0), "#440154");
  assert.equal(scaleColour(1), "#fde725");
});

test("clusters keep the colours of their slots", () => {
  const cluster = (/** @type {number} */ number, /** @type {number} */ colour) => ({ number, colour });
  const store = /** @type {any} */ ({
    dark: false,
    state: { clusters: [cluster(4, 1), cluster(9, 0)] },
    labels: { cluster: Int32Array.of(9, 4, 4, 7) },
  });
  const { codes, palette } = byCluster(store);
  assert.deepEqual(Array.from(codes, (code) => palette[code]),
    [clusterColour(0, false), clusterColour(1, false), clusterColour(1, false), nothing(false)]);
});

test("between two colourings only what changes is on the way", () => {
  const from = { codes: Uint16Array.of(0, 0, 1), palette: ["#000000", "#ffffff"] };
  const to = { codes: Uint16Array.of(0, 1, 1), palette: ["#000000", "#ffffff"] };
  const way = blend(from, to, mix);
  assert.equal(way.n, 1);
  const seen = (/** @type {number} */ share) => Array.from(way.codes, (code) => way.at(share)[code]);
  assert.deepEqual(seen(0), ["#000000", "#000000", "#ffffff"]);
  assert.deepEqual(seen(1), ["#000000", "#ffffff", "#ffffff"]);
});
