import { copyFile, cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createFolder, type Ended, type RunOptions, startProgram } from "../support/cli.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLES = fileURLToPath(new URL(".", import.meta.url));

/** A project of somebody else, in which this package is installed as it is published. */
export interface Project extends AsyncDisposable {
  at(name: string): string;
  /** Writes the files that the README shows by these names, with a merchant's port in place of its own. */
  writeReadme(names: readonly string[], port: number): Promise<void>;
  /** Runs a program of an installed package to its end. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<Ended>;
}

/**
 * @param example the folder here whose files the project has, beside the shop that is tested
 * @param packages what is installed beside this package, as it is here
 */
export async function createProject(
  example: string,
  packages: readonly string[],
): Promise<Project> {
  const folder = await createFolder();
  await cp(path.join(EXAMPLES, example), folder.path, { recursive: true });
  await copyFile(path.join(EXAMPLES, "shop.js"), folder.at("shop.js"));
  await writeFile(folder.at("package.json"), '{"type":"module"}');
  const installed = folder.at("node_modules/pix-sandbox");
  await mkdir(installed, { recursive: true });
  await copyFile(path.join(ROOT, "package.json"), path.join(installed, "package.json"));
  for (const part of ["bin", "dist"])
    await cp(path.join(ROOT, part), path.join(installed, part), { recursive: true });
  for (const name of packages) {
    const link = folder.at(`node_modules/${name}`);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, "node_modules", name), link, "junction");
  }
  return {
    at: (name) => folder.at(name),
    writeReadme: async (names, port) => {
      const readme = await readFile(path.join(ROOT, "README.md"), "utf8");
      for (const name of names) {
        const [, block] = readme.split("```js\n// " + name + "\n");
        if (block === undefined) throw new Error(`The README shows no ${name}.`);
        const [text = ""] = block.split("```");
        await writeFile(folder.at(name), text.replace("127.0.0.1:3000", `127.0.0.1:${port}`));
      }
    },
    run: async (program, args, options) => {
      const file = path.join(ROOT, "node_modules", program);
      await using running = startProgram(file, args, { cwd: folder.path, ...options });
      return await running.ended;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
