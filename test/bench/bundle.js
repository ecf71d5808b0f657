/** Parts of the source that are no entries of the package, bundled for a process that measures them. */
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/**
 * @param {string} outfile
 * @param {Record<string, string>} parts what is exported, by name, and the file below `src` that it is in
 */
export async function bundleSource(outfile, parts) {
  const contents = Object.entries(parts)
    .map(([name, file]) => `export { ${name} } from "./${file}";`)
    .join("\n");
  return bundle({ stdin: { contents, resolveDir: SOURCE }, outfile });
}

/**
 * A server of this folder with all that it needs, in one file without white space.
 * @param {string} outfile
 * @param {string} name of its file
 */
export function bundleServer(outfile, name) {
  const entry = fileURLToPath(new URL(name, import.meta.url));
  return bundle({ entryPoints: [entry], outfile, minifySyntax: true, minifyWhitespace: true });
}

/** @param {import("esbuild").BuildOptions & { outfile: string }} options */
async function bundle(options) {
  await build({ ...options, bundle: true, platform: "node", format: "esm" });
  await stop(); // its process would run on beside what is measured
  return options.outfile;
}
