// Bundles what the inspector's page loads, with its own messages only.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build as buildCss } from "esbuild";
import { build } from "rolldown";
import { allCatalogues, textsIn } from "./texts.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds the page's bundle: each text has its translations beside it, so that the bundle needs no catalogue.
 * @param {{ write?: boolean, translate?: (language: string, key: string) => string | undefined }} options
 * `translate`: the texts of a language, by its folder; default: those of its catalogues
 */
export function buildPage({ write = true, translate = translationsOf() } = {}) {
  return build({
    input: { inspector: path.join(ROOT, "src/inspector/main.tsx") },
    write,
    platform: "browser",
    transform: { target: "es2022" },
    plugins: [textsPlugin(translate)],
    // A text that nothing shows is left out, though it stands at the top of a module.
    treeshake: { manualPureFunctions: ["say", "plural", "joined", "verbatim"] },
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

/**
 * Puts the translations of each text beside it, so that a bundle holds those of its own texts only.
 * @param {(language: string, key: string) => string | undefined} translate
 */
function textsPlugin(translate) {
  return {
    name: "page-texts",
    transform: (/** @type {string} */ source, /** @type {string} */ id) => {
      const file = path.relative(ROOT, id).replaceAll("\\", "/");
      if (!/^src\/.*\.tsx?$/.test(file)) return undefined;
      if (CATALOGUES.test(file)) return "export default {};";
      const inserted = textsIn(file, source).flatMap(({ key, start, end }) => {
        const found = LANGUAGES.map(([name = "", folder = ""]) => [name, translate(folder, key)]);
        const own = JSON.stringify(Object.fromEntries(found));
        return own === "{}"
          ? []
          : [
              // A spread would read members, so a text that nothing shows would stay.
              [start, "(/* @__PURE__ */ Object.assign("],
              [end, `,{translations:${own}}))`],
            ];
      });
      let result = source;
      for (const [at, text] of inserted.toSorted(([one], [other]) => Number(other) - Number(one)))
        result = result.slice(0, Number(at)) + text + result.slice(Number(at));
      return result;
    },
  };
}

/** Only catalogues are in folders of languages. */
const CATALOGUES = /^src\/text\/[a-z]{2,3}(?:-[A-Z]{2})?\/index\.ts$/;
/** The names of languages, as src/text/languages.ts has them, and the folders of their catalogues. */
const LANGUAGES = [...allCatalogues().keys()].map((folder) => [folder.split("-")[0], folder]);

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

/** Builds the page's style sheet. */
export async function buildStyle() {
  await buildCss({
    entryPoints: { inspector: path.join(ROOT, "src/inspector/style/index.css") },
    outdir: path.join(ROOT, "dist/inspector"),
    bundle: true,
    minify: true,
  });
}
