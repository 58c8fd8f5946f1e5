// tsc finds undefined names and wrong types; eslint finds what is legal and still a mistake.
import js from "@eslint/js";

export default [
  { ignores: ["src/sentree/app/static/vendor/"] },
  js.configs.recommended,
  {
    rules: {
      "no-undef": "off",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "eqeqeq": "error",
      "prefer-const": "error",
      "no-var": "error",
      "no-implied-eval": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "What is shown is text: use textContent or an element." },
        { property: "outerHTML", message: "What is shown is text: use textContent or an element." },
        { property: "insertAdjacentHTML", message: "What is shown is text: use textContent." },
      ],
    },
  },
];
