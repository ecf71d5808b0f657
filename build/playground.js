/**
 * `npm run playground [FOLDER]` writes a folder of static files: the inspector with a sandbox in the tab, and a guided
 * first payment. Any server of static files can host it.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { toPage } from "../dist/chunks/trace-page.cjs";

const folder = path.resolve(process.argv[2] ?? "dist/playground");
await mkdir(folder, { recursive: true });
await writeFile(path.join(folder, "index.html"), await toPage("pix-sandbox"));
process.stdout.write(`${folder}\n`);
