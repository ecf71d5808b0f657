// Bundles what the inspector's page loads, with its own messages only.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { allCatalogues, textsOf } from "./texts.js";

const ROOT = fileURLToPath(new URL(".", import.meta.url));

/**
 * Builds the page's bundle. The first pass says which modules the page consists of, the second one has their texts.
 * @param {{ write?: boolean, translate?: (language: string, key: string) => unknown }} options
 * `translate`: the texts of a language; default: those of its catalogues
 */
export async function buildPage({ write = true, translate = translationsOf() } = {}) {
  const { output } = await bundle({ write: false });
  const files = output[0].moduleIds
    .map((id) => path.relative(ROOT, id).replaceAll("\\", "/"))
    .filter((file) => /^src\/.*\.tsx?$/.test(file) && !/^src\/text\/.*\//.test(file));
  const keys = [...new Set(files.flatMap(textsOf).map(({ key }) => key))];
  const plugin = {
    name: "page-texts",
    load: (/** @type {string} */ id) => {
      const language = /\/src\/text\/([^/]+)\/index\.ts$/.exec(id.replaceAll("\\", "/"))?.[1];
      if (language === undefined) return undefined;
      const entries = keys.map((key) => [key, translate(language, key)]);
      return `export default ${JSON.stringify(Object.fromEntries(entries))};`;
    },
  };
  return bundle({ write, plugins: [plugin] });
}

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

function bundle(/** @type {{ write: boolean, plugins?: object[] }} */ { write, plugins = [] }) {
  return build({
    input: { inspector: path.join(ROOT, "src/inspector/main.tsx") },
    write,
    platform: "browser",
    transform: { target: "es2022" },
    plugins,
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
