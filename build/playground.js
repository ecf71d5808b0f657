/**
 * `npm run playground [FOLDER]` writes a folder of static files: the inspector with a sandbox in the tab, and a guided
 * first payment. Any server of static files can host it.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const folder = path.resolve(process.argv[2] ?? "dist/playground");
const page = await readFile(new URL("../dist/inspector/trace.html", import.meta.url), "utf8");
await mkdir(folder, { recursive: true });
await writeFile(
  path.join(folder, "index.html"),
  page.replace("<!--title-->", "<title>pix-sandbox</title>").replace("<!--trace-->", ""),
);
process.stdout.write(`${folder}\n`);
