import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFolder } from "../../support/folder.ts";
import { type Ended, startProcess } from "../../support/process.ts";

const CODE_CACHE = fileURLToPath(new URL("../../../bin/code-cache.js", import.meta.url));
const CACHE = `cache/node-${process.version}-${process.arch}`;
/** Code that is longer than the index, so that the middle of the file is code. */
const FUNCTIONS = Array.from({ length: 200 }, (_, index) => `(() => ${index})();`).join("\n");

describe("the code cache", () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  beforeEach(async () => {
    folder = await createFolder();
    await writeFile(
      folder.at("run.cjs"),
      `require(${JSON.stringify(CODE_CACHE)}).loadWithCodeCache(
        __dirname + "/main.cjs",
        process.env.CACHE_FOLDER ?? __dirname + "/cache",
      );`,
    );
    await writeFile(folder.at("main.cjs"), `console.log(require("./part.cjs").text);`);
    await writeFile(folder.at("part.cjs"), `${FUNCTIONS} exports.text = "one";`);
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const run = async (env: Record<string, string> = {}, ...flags: string[]): Promise<Ended> => {
    const args = [...flags, folder.at("run.cjs")];
    await using program = startProcess(process.execPath, args, { env });
    return await program.ended;
  };
  const prints = (text: string) => ({ code: 0, stdout: `${text}\n`, stderr: "" });
  /** Another file is another number. */
  const fileNumber = async (): Promise<number> => (await stat(folder.at(CACHE))).ino;
  /** Whether the next start takes all code from the cache. */
  const isComplete = async (text: string): Promise<boolean> => {
    const before = await fileNumber();
    expect(await run()).toMatchObject(prints(text));
    return before === (await fileNumber());
  };

  it("is written by the first start, and used by the next", async () => {
    expect(await run()).toMatchObject(prints("one"));
    expect(await readdir(folder.at("cache"))).toHaveLength(1);
    expect(await isComplete("one")).toBe(true);
  });

  it("is written after the start of a process that is killed", async () => {
    await writeFile(folder.at("main.cjs"), `setInterval(() => {}, 1000);`);
    await using program = startProcess(process.execPath, [folder.at("run.cjs")]);
    await expect.poll(() => existsSync(folder.at(CACHE))).toBe(true);
    await program.stop("SIGKILL");
  });

  it("gains the modules that a later start loads", async () => {
    await run();
    await writeFile(folder.at("other.cjs"), `console.log("other");`);
    const main = await readFile(folder.at("run.cjs"), "utf8");
    await writeFile(folder.at("run.cjs"), main.replace("main.cjs", "other.cjs"));
    expect(await isComplete("other")).toBe(false);
    expect(await isComplete("other")).toBe(true);
    await writeFile(folder.at("run.cjs"), main);
    expect(await isComplete("one")).toBe(true);
  });

  it("gives no code to a module that has changed, even if its length has not", async () => {
    await run();
    await writeFile(folder.at("part.cjs"), `${FUNCTIONS} exports.text = "two";`);
    expect(await isComplete("two")).toBe(false);
    expect(await isComplete("two")).toBe(true);
  });

  it("is replaced when V8 rejects it, as with other flags", async () => {
    await run({}, "--no-opt");
    expect(await isComplete("one")).toBe(false);
    expect(await isComplete("one")).toBe(true);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["empty", () => Buffer.alloc(0)],
    ["cut off", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["zeros", (bytes) => Buffer.alloc(bytes.length)],
    ["damaged in its index", (bytes) => flipped(bytes, 40)],
    ["damaged in the middle", (bytes) => flipped(bytes, bytes.length / 2)],
    ["damaged at its end", (bytes) => flipped(bytes, bytes.length - 20)],
  ])("is replaced if it is %s", async (_kind, damage) => {
    await run();
    await writeFile(folder.at(CACHE), damage(await readFile(folder.at(CACHE))));
    expect(await isComplete("one")).toBe(false);
    expect(await isComplete("one")).toBe(true);
  });

  it("stays whole when many processes write it at once", async () => {
    const ended = await Promise.all(Array.from({ length: 8 }, () => run()));
    for (const one of ended) expect(one).toMatchObject(prints("one"));
    expect(await readdir(folder.at("cache"))).toHaveLength(1);
    expect(await isComplete("one")).toBe(true);
  });

  it("keeps what another process stores meanwhile", async () => {
    await writeFile(
      folder.at("first.cjs"),
      `const { spawnSync } = require("node:child_process");
      const env = { ...process.env, MAIN: "main.cjs" };
      console.log(String(spawnSync(process.execPath, [process.argv[1]], { env }).stdout).trim());`,
    );
    const source = await readFile(folder.at("run.cjs"), "utf8");
    const either = source.replace('"/main.cjs"', '"/" + (process.env.MAIN ?? "main.cjs")');
    await writeFile(folder.at("run.cjs"), either);
    expect(await run({ MAIN: "first.cjs" })).toMatchObject(prints("one"));
    expect(await isComplete("one")).toBe(true);
  });

  it("is not needed: a folder that cannot be written is no error", async () => {
    await writeFile(folder.at("file"), "");
    const env = { CACHE_FOLDER: folder.at("file/cache") };
    expect(await run(env)).toMatchObject(prints("one"));
  });

  it("leaves nothing behind when the file cannot be replaced", async () => {
    await mkdir(folder.at(CACHE), { recursive: true });
    await writeFile(folder.at(`${CACHE}/other`), "");
    expect(await run()).toMatchObject(prints("one"));
    expect(await readdir(folder.at("cache"))).toHaveLength(1);
  });

  it.each(["NODE_DISABLE_COMPILE_CACHE", "NODE_V8_COVERAGE"])("is off with %s", async (name) => {
    expect(await run({ [name]: folder.at("coverage") })).toMatchObject(prints("one"));
    expect(existsSync(folder.at("cache"))).toBe(false);
  });

  it("can load the program: no chunk uses import()", async () => {
    const chunks = fileURLToPath(new URL("../../../dist/chunks/", import.meta.url));
    const names = (await readdir(chunks)).filter((name) => name.endsWith(".cjs"));
    expect(names).toContain("cli.cjs");
    for (const name of names)
      expect([name, await readFile(`${chunks}${name}`, "utf8")]).not.toEqual([
        name,
        expect.stringMatching(/(?<![.\w])import\(/),
      ]);
  });

  it("loads a module again that failed at first", async () => {
    await writeFile(
      folder.at("main.cjs"),
      `try { require("./part.cjs"); } catch { globalThis.works = true; }
      console.log(require("./part.cjs").text);`,
    );
    await writeFile(
      folder.at("part.cjs"),
      `if (!globalThis.works) throw new Error("not yet"); exports.text = "one";`,
    );
    expect(await run()).toMatchObject(prints("one"));
  });
});

/** The same bytes with another one at a place. */
function flipped(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = Math.floor(place);
  copy[index] = (copy[index] ?? 0) ^ 0xff;
  return copy;
}
