import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { createFolder } from "../../support/folder.ts";
import { type Ended, type RunOptions, startProcess } from "../../support/process.ts";
import { readPages } from "../pages.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const EXAMPLES = fileURLToPath(new URL(".", import.meta.url));
const LONG = fileURLToPath(new URL("..", import.meta.url));

/** A user's project, in which this package is installed as it is published. */
export interface Project extends AsyncDisposable {
  at(name: string): string;
  /** Writes the files that the documentation shows under these names, with the port of a merchant. */
  writeShown(names: readonly string[], port: number): Promise<void>;
  /** Runs a file of an installed package, or one of the project, to its end. */
  run(file: string, args: readonly string[], options?: ProgramOptions): Promise<Ended>;
}

export interface ProgramOptions extends RunOptions {
  /** The program that runs the file, with its first arguments. Default: this Node. */
  readonly command?: readonly [string, ...string[]];
}

/**
 * @param example the folder here whose files the project has, beside the shop that is tested; undefined for none
 * @param packages what is installed beside this package, as it is here
 */
export async function createProject(
  example: string | undefined,
  packages: readonly string[],
): Promise<Project> {
  const folder = await copyExample(example);
  const installed = folder.at("node_modules/pix-sandbox");
  await mkdir(installed, { recursive: true });
  await copyFile(path.join(ROOT, "package.json"), path.join(installed, "package.json"));
  for (const part of ["bin", "dist", "docs"])
    await cp(path.join(ROOT, part), path.join(installed, part), { recursive: true });
  await mkdir(folder.at("node_modules/.bin"));
  await symlink("../pix-sandbox/bin/pix-sandbox.js", folder.at("node_modules/.bin/pix-sandbox"));
  for (const name of packages) {
    const link = folder.at(`node_modules/${name}`);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(findPackage(name), link, "junction");
  }
  return toProject(folder, findPackage);
}

/**
 * The same, installed by npm, without a flag that ignores conflicts of peer dependencies.
 * @param tarball the packed package
 */
export async function installProject(
  example: string,
  tarball: string,
  packages: readonly string[],
): Promise<Project> {
  const folder = await copyExample(example);
  await npm(folder.path, "install", tarball, ...packages);
  return toProject(folder, (name) => folder.at(path.join("node_modules", name)));
}

/** @throws Error with what npm printed if it fails. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<void> {
  const quiet = ["--no-audit", "--no-fund"];
  await using running = startProcess("npm", [...args, ...quiet], { cwd });
  const { code, stderr } = await running.ended;
  if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}: ${stderr}`);
}

/** Compiles a project to CommonJS. */
export async function toCommonJs(project: Project): Promise<void> {
  const manifest = JSON.parse(await readFile(project.at("package.json"), "utf8")) as object;
  await writeFile(project.at("package.json"), JSON.stringify({ ...manifest, type: "commonjs" }));
  for (const file of await readdir(project.at("."))) {
    if (!file.endsWith(".js")) continue;
    const { code } = await transform(await readFile(project.at(file)), { format: "cjs" });
    await writeFile(project.at(file), code);
  }
}

type Folder = Awaited<ReturnType<typeof createFolder>>;

async function copyExample(example: string | undefined): Promise<Folder> {
  const folder = await createFolder();
  if (example !== undefined)
    await cp(path.join(EXAMPLES, example), folder.path, { recursive: true });
  await copyFile(path.join(EXAMPLES, "shop.js"), folder.at("shop.js"));
  await writeFile(folder.at("package.json"), '{"type":"module"}');
  return folder;
}

/** The path of an installed package, or of a file in one: of the long tests' own, else of the repository's. */
function findPackage(name: string): string {
  const [own = "", shared = ""] = [LONG, ROOT].map((root) => path.join(root, "node_modules", name));
  return existsSync(own) ? own : shared;
}

function toProject(folder: Folder, locate: (name: string) => string): Project {
  return {
    at: (name) => folder.at(name),
    writeShown: async (names, port) => {
      const pages = await readPages();
      for (const name of names) {
        const [, block] = pages.split("```js\n// " + name + "\n");
        if (block === undefined) throw new Error(`The documentation shows no ${name}.`);
        const [text = ""] = block.split("```");
        await writeFile(folder.at(name), text.replace("127.0.0.1:3000", `127.0.0.1:${port}`));
      }
    },
    run: async (name, args, { command = [process.execPath], ...options } = {}) => {
      const file = name.startsWith("./") ? name : locate(name);
      const [program, ...before] = command;
      await using running = startProcess(program, [...before, file, ...args], {
        cwd: folder.path,
        ...options,
      });
      return await running.ended;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
