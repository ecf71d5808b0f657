import { access, chmod, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runMain } from "./main.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { createFolder } from "./folder.ts";
import { type Ended, type Program, startProcess } from "./process.ts";
import { type Merchant, startMerchant } from "./merchant.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BIN = path.join(ROOT, "bin/pix-sandbox.js");

/** The README and every page of `docs/`, by their paths from the root. */
export const ENGLISH_PAGES: readonly string[] = ["README.md", ...(await pagesIn("docs"))];

/** The pages in Portuguese. */
export const PORTUGUESE_PAGES: readonly string[] = [
  "README.pt-BR.md",
  ...(await pagesIn("docs/pt-BR")),
];

/** The page that a page in Portuguese translates. */
export function originalOf(page: string): string {
  return page.replace("pt-BR/", "").replace(".pt-BR", "");
}

/** A fenced block of a page. `kind` is the text after the fence; it may be empty. */
interface Block {
  readonly kind: string;
  readonly text: string;
}

/**
 * A page of the documentation. Its test takes every fenced block and runs it or compares it; a block that no
 * test takes fails the page's test.
 */
export class Page {
  readonly name: string;
  readonly text: string;
  #untaken: readonly Block[];

  private constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
    this.#untaken = [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(
      ([, kind = "", block = ""]) => ({ kind, text: block }),
    );
  }

  /** @param name the page's path from the root of the repository */
  static async read(name: string): Promise<Page> {
    return new Page(name, await readFile(path.join(ROOT, name), "utf8"));
  }

  /** Takes the next block of a kind, or the next one that contains a text. */
  take(kind: string, containing = ""): string {
    const found = this.#untaken.find((one) => one.kind === kind && one.text.includes(containing));
    if (!found) throw new Error(`${this.name} has no ${kind} block with: ${containing}`);
    this.#untaken = this.#untaken.filter((one) => one !== found);
    return found.text.trim();
  }

  /** The blocks that no test has taken, each as its kind and its first line. */
  get untaken(): readonly string[] {
    return this.#untaken.map(({ kind, text }) => `${kind}: ${text.split("\n")[0]}`);
  }

  /** The text below a heading, up to the next heading. */
  section(heading: string): string {
    const [, rest] = this.text.split(new RegExp(`^#+ ${heading}$`, "m"));
    if (rest === undefined) throw new Error(`${this.name} has no heading ${heading}`);
    return rest.split(/^#+ /m)[0] ?? "";
  }
}

/** Everything that the examples of a page need: a sandbox, a merchant and a folder. */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly merchant: Merchant;
  /** A file in the folder of the examples. */
  at(name: string): string;
  write(name: string, text: string): Promise<void>;
  /** Runs lines of `npx pix-sandbox` in this process, until one fails. `ID` stands for `id`. */
  run(block: string, id?: string): Promise<Ended>;
  /** Starts a block in a shell of its own. */
  start(block: string, id?: string): Program;
  /** Runs a block in a shell of its own, to its end. */
  shell(block: string, id?: string): Promise<Ended>;
  /** Runs a JavaScript program of a page to its end. */
  program(block: string): Promise<Ended>;
}

/**
 * Starts a sandbox and a merchant for examples. In every block the sandbox's address stands for
 * 127.0.0.1:7490, and the merchant's for 127.0.0.1:3000.
 */
export async function startStage(): Promise<Stage> {
  const folder = await createFolder();
  const merchant = await startMerchant();
  const sandbox = await startSandbox();
  await writeFile(
    folder.at("npx"),
    `#!/bin/sh\n[ "$1" != --no ] || shift\nshift\nexec "${process.execPath}" "${BIN}" "$@"\n`,
  );
  await chmod(folder.at("npx"), 0o755);
  await symlink(path.join(ROOT, "node_modules"), folder.at("node_modules"));
  const env = { PATH: `${folder.path}:${process.env["PATH"]}`, PIX_SANDBOX_URL: sandbox.url };

  const located = (block: string, id = "ID"): string =>
    block
      .replaceAll("127.0.0.1:7490", new URL(sandbox.url).host)
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${merchant.port}`)
      .replaceAll(/\bID\b/g, id);
  const start = (block: string, id?: string): Program =>
    startProcess("sh", ["-e", "-c", located(block, id)], { env, cwd: folder.path });
  const runToEnd = async (program: Program): Promise<Ended> => {
    await using running = program;
    return await running.ended;
  };

  return {
    sandbox,
    merchant,
    at: (name) => folder.at(name),
    write: (name, text) => writeFile(folder.at(name), text),
    run: (block, id) => runLines(located(block, id), sandbox.url),
    start,
    shell: (block, id) => runToEnd(start(block, id)),
    program: async (block) => {
      const text = located(block).replace(/"pix-sandbox(?:\/([\w-]+))?"/, (_, entry = "index") =>
        JSON.stringify(new URL(`../../dist/${entry}.js`, import.meta.url).href),
      );
      await writeFile(folder.at("program.mjs"), text);
      return runToEnd(startProcess(process.execPath, ["program.mjs"], { env, cwd: folder.path }));
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await merchant.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function pagesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(path.join(ROOT, folder));
  return names.filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`);
}

/** Whether a path from the root of the repository exists. */
export async function exists(name: string): Promise<boolean> {
  return access(path.join(ROOT, name)).then(
    () => true,
    () => false,
  );
}

async function runLines(block: string, url: string): Promise<Ended> {
  let ended: Ended = { code: 0, signal: null, stdout: "", stderr: "" };
  for (const line of block.replaceAll("\\\n", "").split("\n")) {
    const one = await runMain(toArguments(line), { env: { PIX_SANDBOX_URL: url } });
    ended = { ...one, stdout: ended.stdout + one.stdout, stderr: ended.stderr + one.stderr };
    if (ended.code !== 0) break;
  }
  return ended;
}

/** The arguments of a line such as `npx pix-sandbox qr ID -o charge.png`, as a shell splits them. */
function toArguments(line: string): string[] {
  const command = "npx pix-sandbox ";
  if (!line.startsWith(command)) throw new Error(`Not a command of pix-sandbox: ${line}`);
  const words = line
    .slice(command.length)
    .replace(/ +# .*$/, "")
    .matchAll(/'([^']*)'|"([^"$]*)"|([^\s'"|&;<>$`]+)/g);
  return [...words].map(([, single, double, bare]) => single ?? double ?? bare ?? "");
}
