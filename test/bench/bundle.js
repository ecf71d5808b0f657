/** Bundles files of the source for a process that measures them: Node.js cannot import them as they are. */
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/**
 * @param {string} outfile
 * @param {Record<string, string>} exports the file below `src` of each exported name
 */
export async function bundleSource(outfile, exports) {
  const contents = Object.entries(exports)
    .map(([name, file]) => `export { ${name} } from "./${file}";`)
    .join("\n");
  const stdin = { contents, resolveDir: SOURCE };
  const format = outfile.endsWith(".cjs") ? "cjs" : "esm";
  await build({ stdin, outfile, bundle: true, platform: "node", format });
  await stop(); // its process would run on during the measurement
  return outfile;
}
