import assert from "node:assert/strict";
import { test } from "node:test";
import { percent, progressText, replyOf, view } from "../../src/sentree/app/static/js/question.js";

const clusters = [
  { number: 0, name: "zeros", colour: 4, size: 178 },
  { number: 1, name: "", colour: 2, size: 1 },
];

/** @type {any} */
const question = {
  id: 7,
  kind: "merge",
  point: 5,
  group: [9, 5, 6],
  n_settled: 40,
  text: "",
  options: [
    { rows: [1, 2, 3, 4], cluster: 0, name: null, probability: 0.614 },
    { rows: [8], cluster: 1, name: null, probability: 0.002 },
  ],
  differs: [1, 2, 3, 4, 5].map((k) => ({ feature: `f${k}`, here: "a", there: "b" })),
};

test("a question as it is shown", () => {
  const shown = view(question, clusters);
  assert.equal(shown.title, "Which group do these rows belong to?");
  assert.deepEqual(shown.rows, [5, 9, 6]);
  assert.equal(shown.note, "They stand for 40 rows.");
  assert.deepEqual(shown.options[0], {
    reply: 0,
    key: "1",
    name: "zeros",
    colour: 4,
    size: "178 rows",
    likely: "61 %",
    share: 0.614,
    rows: [1, 2, 3],
  });
  assert.equal(shown.options[1].name, "Cluster 1");
  assert.equal(shown.options[1].likely, "<1 %");
  assert.equal(shown.differs.length, 4);
});

test("a single row, and options that are parts of one cluster", () => {
  const parts = question.options.map((/** @type {any} */ one) => ({ ...one, cluster: 0 }));
  const shown = view({ ...question, group: [], n_settled: 1, options: parts }, clusters);
  assert.equal(shown.title, "Which group does this row belong to?");
  assert.equal(shown.note, "");
  assert.deepEqual(
    shown.options.map((one) => [one.name, one.size]),
    [
      ["Part of zeros", ""],
      ["Part of zeros", ""],
    ],
  );
});

test("one option is a question of yes or no", () => {
  const shown = view({ ...question, options: question.options.slice(0, 1) }, clusters);
  assert.equal(shown.title, "Do these rows belong to this group?");
  assert.equal(shown.none, "No: another group");
});

test("words for how far we are", () => {
  assert.equal(
    progressText({ answers: 3, certainty: 0.81, left: 4, text: "" }),
    "81 % sure, about 4 more answers",
  );
  assert.equal(
    progressText({ answers: 3, certainty: 0.81, left: 1, text: "" }),
    "81 % sure, about 1 more answer",
  );
  assert.equal(progressText({ answers: 3, certainty: 0.999, left: null, text: "" }), ">99 % sure");
  assert.equal(
    progressText({ answers: 3, certainty: 0.5, left: 2, text: "as the server says" }),
    "as the server says",
  );
  assert.equal(percent(1), "100 %");
  assert.equal(percent(0), "0 %");
});

test("keys", () => {
  assert.deepEqual(
    ["1", "2", "3", "n", "U", "z", "x", "0"].map((key) => replyOf(key, 2)),
    [0, 1, null, "new", "unsure", "undo", null, null],
  );
});
