// Bundles what the inspector's page loads, with its own messages only.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build as buildCss } from "esbuild";
import { build } from "rolldown";
import { allCatalogues, withTranslations } from "./texts.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds the page's bundle: each text has its translations beside it, so that the bundle needs no catalogue.
 * @param {{ write?: boolean, translate?: (language: string, key: string) => unknown }} options
 * `translate`: the texts of a language; default: those of its catalogues
 */
export function buildPage({ write = true, translate = translationsOf() } = {}) {
  return bundle("inspector", "main.tsx", { write, plugins: [textsPlugin(translate)] });
}

/** Builds the same page for a trace, whose calls a worker answers. */
export function buildTracePage({ write = true } = {}) {
  return bundle("trace", "trace/main.tsx", { write, plugins: [textsPlugin()] });
}

/**
 * Puts the translations of each text beside it, so that a bundle holds those of its own texts only.
 * @param {(language: string, key: string) => unknown} translate
 */
export function textsPlugin(translate = translationsOf()) {
  return {
    name: "page-texts",
    transform: (/** @type {string} */ source, /** @type {string} */ id) => {
      const file = path.relative(ROOT, id).replaceAll("\\", "/");
      if (!/^src\/.*\.tsx?$/.test(file)) return undefined;
      if (CATALOGUES.test(file)) return "export default {};";
      return withTranslations(file, source, (key) => {
        const found = LANGUAGES.flatMap(([name, folder]) => {
          const text = translate(folder, key);
          return text === undefined ? [] : [[name, text]];
        });
        return found.length === 0 ? undefined : Object.fromEntries(found);
      });
    },
  };
}

/** Only catalogues are in folders of languages. */
const CATALOGUES = /^src\/text\/[a-z]{2,3}(?:-[A-Z]{2})?\/index\.ts$/;
/** The names of languages, as src/text/languages.ts has them, and the folders of their catalogues. */
const LANGUAGES = [...allCatalogues().keys()].map((folder) => [folder.split("-")[0] ?? "", folder]);

/** Finds a translation of a text, in any room of the language. */
function translationsOf() {
  const languages = new Map(
    Array.from(allCatalogues(), ([language, rooms]) => [
      language,
      Object.assign({}, ...Object.values(rooms)),
    ]),
  );
  return (/** @type {string} */ language, /** @type {string} */ key) =>
    languages.get(language)?.[key];
}

/** A text that nothing shows is left out, though it stands at the top of a module. */
export const PURE_TEXTS = { manualPureFunctions: ["say", "plural", "joined", "verbatim"] };

/**
 * @param {string} name
 * @param {string} file
 * @param {{ write: boolean, plugins: object[] }} options
 */
function bundle(name, file, { write, plugins }) {
  return build({
    input: { [name]: path.join(ROOT, "src/inspector", file) },
    write,
    platform: "browser",
    transform: { target: "es2022" },
    plugins,
    treeshake: PURE_TEXTS,
    output: {
      dir: "dist/inspector",
      format: "esm",
      entryFileNames: "[name].js",
      comments: false,
      minify: true,
      codeSplitting: false,
    },
  });
}

/** Builds the style sheets of the page and of a trace. */
export async function buildStyle() {
  await buildCss({
    entryPoints: {
      inspector: path.join(ROOT, "src/inspector/style/index.css"),
      trace: path.join(ROOT, "src/inspector/style/trace.css"),
    },
    outdir: path.join(ROOT, "dist/inspector"),
    bundle: true,
    minify: true,
  });
}
