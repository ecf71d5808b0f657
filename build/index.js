// Bundles what is published: one package to install, one implementation in CommonJS, ES modules that pass it on.
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { buildPage, buildStyle } from "./page.js";
import { writeComponents } from "./components.js";
import { BUNDLE_PATCHES, pluginsOf } from "./patches.js";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));
const PROCESS_GLOBALS = path.join(SOURCE, "platform", "process-globals.ts");
const TIMERS =
  "clearImmediate clearInterval clearTimeout performance queueMicrotask setImmediate setInterval setTimeout";
const WEB_APIS =
  "AbortController AbortSignal ArrayBuffer Blob Headers ReadableStream Request Response TextDecoder TextEncoder TransformStream URL URLSearchParams Uint8Array WritableStream crypto fetch";

/** Replaces globals by those of src/platform/process-globals.ts; the web APIs at each use, since Node loads them lazily. */
const transform = {
  target: "node20.19",
  inject: Object.fromEntries(
    ["processGlobals", ...TIMERS.split(" ")].map((name) => [name, [PROCESS_GLOBALS, name]]),
  ),
  define: {
    ...Object.fromEntries(
      WEB_APIS.split(" ").flatMap((name) =>
        [name, `globalThis.${name}`].map((read) => [read, `processGlobals.${name}`]),
      ),
    ),
    // A dependency reads it in the absence of `process`.
    "import.meta.env": "undefined",
  },
};

/** Where the source of an entry is: all but the API itself are for test frameworks. */
const folderOf = (/** @type {string} */ name) => (name === "index" ? "" : "test-frameworks/");

/** A bundler that makes an ES module of the package cannot keep `require` of Node's own modules. */
const builtinsWithoutRequire = {
  name: "builtins without require",
  renderChunk: (/** @type {string} */ code) =>
    code.replaceAll(/\brequire\("(?:node:)?([\w/]+)"\)/g, (all, name) =>
      isBuiltin(`node:${name}`) ? `globalThis.process.getBuiltinModule("node:${name}")` : all,
    ),
};

/** The entries of the package that CommonJS implements. */
const ENTRIES = ["index", "vitest-setup", "jest", "jest-setup", "jest-teardown", "playwright"];
/** What the ES module for vitest takes from the implementation, beside the client. */
const TAKEN_BY_VITEST = ["open-sandbox", "worker"];
const sourceOf = (/** @type {string} */ name) => path.join(SOURCE, `${folderOf(name)}${name}.ts`);

const { output } = await build({
  input: {
    ...Object.fromEntries(ENTRIES.map((name) => [name, sourceOf(name)])),
    cli: path.join(SOURCE, "cli/program/main.ts"),
    connect: path.join(SOURCE, "client/connect.ts"),
    ...Object.fromEntries(TAKEN_BY_VITEST.map((name) => [name, sourceOf(name)])),
  },
  // A project that uses the entry for a test framework has that framework.
  external: ["@jest/globals", "@playwright/test"],
  platform: "node",
  transform,
  plugins: [...pluginsOf(BUNDLE_PATCHES), builtinsWithoutRequire],
  output: {
    dir: "dist/chunks",
    format: "cjs",
    exports: "named",
    // bin/code-cache.js loads no `import()`, and neither does jest.
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    // Not minified: Node prints the line at fault of an error that nothing catches.
    comments: false,
    strict: true,
  },
});
// vitest itself can be loaded by ES modules only.
const { output: vitest } = await build({
  input: { vitest: sourceOf("vitest") },
  external: ["vitest", /^\.\.\/client\//, ...TAKEN_BY_VITEST.map((name) => `./${name}.ts`)],
  platform: "node",
  transform,
  output: {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    comments: false,
    minifyInternalExports: false,
    paths: (file) => (file === "vitest" ? file : `./chunks/${path.basename(file, ".ts")}.cjs`),
    banner: 'import "../bin/node-version.js";',
  },
});
// What the inspector's page loads.
const { output: page } = await buildPage();
await buildStyle();
await copyFile(path.join(SOURCE, "inspector/index.html"), "dist/inspector/index.html");
for (const { name, exports } of output.filter((chunk) => ENTRIES.includes(chunk.name))) {
  await writeCommonJs(name, exports, `./chunks/${name}.cjs`);
  await writeEsModule(name, exports);
}
await writeCommonJs("vitest", vitest[0].exports, "./vitest.js");
await writeTypes("vitest", vitest[0].exports);
await removeOtherTypes([...ENTRIES, "vitest"].map((name) => path.join("dist", `${name}.d.ts`)));
await writeComponents([...output, ...page].flatMap(({ moduleIds }) => moduleIds));

/**
 * An entry that CommonJS requires: it parses on a Node that is too old, and refuses it.
 * Each value is declared, since until 5.8 TypeScript lets CommonJS take nothing but types from an ES module.
 */
async function writeCommonJs(name, exports, from) {
  await writeFile(
    `dist/${name}.cjs`,
    `"use strict";
require("../bin/node-version.js");
const api = require("${from}");
Object.defineProperty(exports, "__esModule", { value: true });
${exports.map((one) => `exports.${one} = api.${one};\n`).join("")}`,
  );
  await writeFile(
    `dist/${name}.d.cts`,
    `import type * as api from "./${name}.js" with { "resolution-mode": "import" };
export type * from "./${name}.js" with { "resolution-mode": "import" };
${exports.map(declaration).join("")}`,
  );
}

/** The same values for ES modules. */
async function writeEsModule(name, exports) {
  const names = exports.filter((one) => one !== "default").join(", ");
  const lines = [
    names && `export { ${names} } from "./${name}.cjs";\n`,
    exports.includes("default") &&
      `import api from "./${name}.cjs";\nexport default api.default;\n`,
  ];
  await writeFile(`dist/${name}.js`, lines.filter(Boolean).join(""));
  await writeTypes(name, exports);
}

/** The types of an entry whose source is not at the top. */
async function writeTypes(name, exports) {
  if (folderOf(name) === "") return;
  const from = `./${folderOf(name)}${name}.js`;
  const main = exports.includes("default") ? `export { default } from "${from}";\n` : "";
  await writeFile(`dist/${name}.d.ts`, `export * from "${from}";\n${main}`);
}

/** Of a value; a capital letter says that it is a class, and so a type too. */
function declaration(name) {
  if (name === "default") return "declare const main: typeof api.default;\nexport default main;\n";
  const type = /^[A-Z]/.test(name) ? `export type ${name} = api.${name};\n` : "";
  return `export declare const ${name}: typeof api.${name};\n${type}`;
}

/** Removes the declarations that no entry reaches. */
async function removeOtherTypes(entries) {
  const reached = new Set(entries);
  for (const file of reached)
    for (const [, from] of (await readFile(file, "utf8")).matchAll(/"(\.[^"]+)\.[jt]s"/g))
      reached.add(path.join(path.dirname(file), `${from}.d.ts`));
  for (const name of await readdir("dist", { recursive: true })) {
    const file = path.join("dist", name);
    if (file.endsWith(".d.ts") && !reached.has(file)) await rm(file);
  }
}
