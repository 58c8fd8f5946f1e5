// Copies the libraries of the page out of node_modules into static/vendor, as ES modules that
// import each other by relative paths, so that the page works offline and without a bundler.
//
//   npm ci && npm run vendor         write them
//   node tools/vendor.mjs --check    fail if what is stored differs from what would be written
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const target = join(root, "src/sentree/app/static/vendor");

/** @param {string} path of a file below node_modules */
const read = (path) => readFileSync(join(modules, path), "utf8");

/**
 * The text with one piece replaced, which must be there exactly once.
 * @param {string} text @param {string} old @param {string} now
 */
function replace(text, old, now) {
  if (text.split(old).length !== 2) throw new Error(`not there exactly once: ${old}`);
  return text.replace(old, () => now);
}

/** The scatterplot. Its style rules go into a constructed sheet: a policy without inline style
 *  (Content-Security-Policy: style-src 'self') refuses its style element. */
function scatterplot() {
  let text = read("regl-scatterplot/dist/regl-scatterplot.esm.js");
  text = replace(text, "from 'pub-sub-es'", "from './pub-sub-es.js'");
  text = replace(text, "from 'regl'", "from './regl.js'");
  return replace(
    text,
    `const lassoStyleEl = document.createElement('style');
    document.head.appendChild(lassoStyleEl);
    cachedLassoStylesheets = lassoStyleEl.sheet;`,
    `cachedLassoStylesheets = new CSSStyleSheet();
    document.adoptedStyleSheets.push(cachedLassoStylesheets);`,
  );
}

/** regl without its checks of every call; its wrapper for three module systems gives way to one. */
function regl() {
  const text = read("regl/dist/regl.unchecked.js");
  const start = text.indexOf("'use strict';");
  const end = text.lastIndexOf("return wrapREGL;");
  if (start < 0 || end < 0) throw new Error("regl is wrapped differently");
  return `${text.slice(start + "'use strict';".length, end).trim()}\n\nexport default wrapREGL;\n`;
}

// regl-scatterplot's module contains the other packages.
const packages = [
  "regl-scatterplot", "regl", "pub-sub-es", "@flekschas/utils", "camera-2d-simple", "dom-2d-camera",
  "earcut", "gl-matrix", "regl-line",
];

function licences() {
  const texts = packages.map((name) => {
    const { version, license } = JSON.parse(read(`${name}/package.json`));
    const file = ["LICENSE", "LICENSE.md"].find((f) => existsSync(join(modules, name, f)));
    return `${name} ${version} (${license})\n\n${read(`${name}/${file}`).trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** @type {Record<string, string>} */
const files = {
  "regl-scatterplot.js": scatterplot(),
  "regl-scatterplot.d.ts": `export * from "regl-scatterplot";\nexport { default } from "regl-scatterplot";\n`,
  "regl.js": regl(),
  "pub-sub-es.js": read("pub-sub-es/dist/index.js"),
  "LICENSES.txt": licences(),
};

mkdirSync(target, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const path = join(target, name);
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
    console.error(`${path} is not what tools/vendor.mjs makes: call npm run vendor`);
    process.exitCode = 1;
  }
}
