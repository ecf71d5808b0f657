// Bundles what is published: one package to install, and little to load before the first answer.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE = fileURLToPath(new URL("src/", import.meta.url));

/**
 * esbuild puts code into one file by who reaches it, and so what a start always needs into dozens of small
 * ones, each of which costs it a moment. What is loaded later therefore reaches all that was loaded before.
 */
const fewFiles = {
  name: "few-files",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path: file, resolveDir }) =>
      kind === "dynamic-import" && `${resolveDir}/`.startsWith(SOURCE)
        ? { path: path.resolve(resolveDir, file), namespace: "later" }
        : undefined,
    );
    bundler.onLoad({ filter: /^/, namespace: "later" }, ({ path: file }) => {
      const isCommand = file.startsWith(path.join(SOURCE, "cli"));
      const before = path.join(SOURCE, isCommand ? "cli/commands/serve.ts" : "sandbox.ts");
      const contents = `import ${JSON.stringify(before)}; export * from ${JSON.stringify(file)};`;
      return { contents, resolveDir: SOURCE };
    });
  },
};

const { metafile } = await build({
  entryPoints: {
    index: "src/index.ts",
    cli: "src/cli/main.ts",
    vitest: "src/vitest.ts",
    "vitest-setup": "src/vitest-setup.ts",
    jest: "src/jest.ts",
    "jest-setup": "src/jest-setup.ts",
    "jest-teardown": "src/jest-teardown.ts",
    playwright: "src/playwright.ts",
  },
  // Whoever uses an entry for a test framework has that framework.
  external: ["vitest", "@jest/globals", "@playwright/test"],
  outdir: "dist",
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  chunkNames: "chunks/[name]-[hash]",
  // CommonJS packages inside an ES module still call require for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  metafile: true,
  plugins: [fewFiles],
  logLevel: "warning",
});
for (const [file, { entryPoint, exports }] of Object.entries(metafile.outputs))
  if (/^src\/[^/]+\.ts$/.test(entryPoint ?? "")) await writeCommonJs(file, exports);
// What a test loads is bundled in the wrapper's place: jest's own require takes no ES module.
await build({
  entryPoints: ["src/jest.ts"],
  external: ["@jest/globals"],
  outfile: "dist/jest.cjs",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: "warning",
});
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licencesOf(Object.keys(metafile.inputs)));

/**
 * CommonJS beside an ES module, which it requires: so a class is the same one whichever way it was loaded.
 * Each value is declared, since until 5.8 TypeScript lets CommonJS take nothing but types from an ES module.
 */
async function writeCommonJs(file, names) {
  const from = `./${path.basename(file)}`;
  const wrapper = file.replace(/\.js$/, "");
  await writeFile(
    `${wrapper}.cjs`,
    `"use strict";
const api = require("${from}");
Object.defineProperty(exports, "__esModule", { value: true });
${names.map((name) => `exports.${name} = api.${name};\n`).join("")}`,
  );
  await writeFile(
    `${wrapper}.d.cts`,
    `import type * as api from "${from}" with { "resolution-mode": "import" };
export type * from "${from}" with { "resolution-mode": "import" };
${names.map(declaration).join("")}`,
  );
}

/** Of a value; a capital letter says that it is a class, and so a type too. */
function declaration(name) {
  if (name === "default") return "declare const main: typeof api.default;\nexport default main;\n";
  const type = /^[A-Z]/.test(name) ? `export type ${name} = api.${name};\n` : "";
  return `export declare const ${name}: typeof api.${name};\n${type}`;
}

/** The licence of every package whose code went in. */
async function licencesOf(inputs) {
  const folders = inputs
    .map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1])
    .filter(Boolean);
  const texts = await Promise.all(
    [...new Set(folders)].toSorted((one, other) => one.localeCompare(other)).map(licenceOf),
  );
  return texts.join(`\n${"-".repeat(72)}\n\n`);
}

async function licenceOf(folder) {
  const {
    name,
    version,
    licenses = [],
    license = licenses.map(({ type }) => type).join(", "),
  } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const names = [
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "license",
    "License",
    "LICENCE",
    "LICENSE-MIT",
  ];
  const texts = await Promise.all(
    names.map((file) => readFile(path.join(folder, file), "utf8").catch(() => "")),
  );
  return `${name} ${version} (${license})\n\n${texts.find(Boolean) ?? "No licence text is part of the package."}`;
}
