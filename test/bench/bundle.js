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
  const stdin = { contents, resolveDir: SOURCE };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm" });
  await stop(); // its process would run on beside what is measured
  return outfile;
}
