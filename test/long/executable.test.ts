import { execFileSync, spawnSync } from "node:child_process";
import { appendFile, chmod, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { type Ended, freePort, type Program, startProcess } from "../support/process.ts";

describe("the single executable", { timeout: 120_000 }, () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  let printed = "";
  beforeAll(async () => {
    folder = await createFolder();
    printed = execFileSync(process.execPath, ["release/executable.js", folder.at("out")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }, 120_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  /** Without Node or anything else in reach. */
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Program => {
    const variables = Object.entries({
      PATH: "/nonexistent",
      HOME: folder.path,
      XDG_CACHE_HOME: folder.at("cache"),
      ...env,
    });
    const given = variables.map(([name, value]) => `${name}=${value}`);
    return startProcess("/usr/bin/env", ["-i", ...given, folder.at("out/pix-sandbox"), ...args]);
  };
  const run = async (
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Ended> => {
    await using program = start(args, env);
    return await program.ended;
  };
  const unpacked = async (): Promise<string[]> => {
    const cache = folder.at("cache/pix-sandbox");
    return (await readdir(cache)).map((name) => path.join(cache, name));
  };

  it("says its size and its time", () => {
    expect(printed).toMatch(
      /pix-sandbox: \d+\.\d MB; --version takes \d+ ms, and \d+ ms from then on\.\n/,
    );
  });

  it("starts, takes a payment whose webhook is verified, and stops", async () => {
    const port = String(await freePort());
    const env = { PIX_SANDBOX_URL: `http://127.0.0.1:${port}` };
    await using serving = start(["serve", "--memory", "--port", port]);
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    const { code, stdout, stderr } = await run(["trigger", "payin.paid"], env);
    expect(code).toBe(0);
    expect(stdout).toContain("verified: the signature is valid");
    // What it prints can be pasted: there is no npx.
    expect(stderr).toMatch(/: pix-sandbox trigger payin\.paid/);
    expect(await run(["qr", "last"], env)).toMatchObject({ code: 0 });
    expect(await serving.stop("SIGINT")).toMatchObject({ code: 0 });
  });

  it("unpacks once, for this user only, and anew where a file is damaged", async () => {
    const [root = "", ...others] = await unpacked();
    expect(others).toEqual([]);
    const program = path.join(root, "bin/pix-sandbox.js");
    const before = await readFile(program, "utf8");
    await appendFile(program, "throw new Error('damaged');\n");
    expect(await run(["--version"])).toMatchObject({ code: 0, stderr: "" });
    expect(await readFile(program, "utf8")).toBe(before);

    await writeFile(path.join(root, "of-another"), "");
    await chmod(root, 0o777);
    expect(await run(["--version"])).toMatchObject({ code: 0, stderr: "" });
    expect(await readdir(root)).not.toContain("of-another");
    expect(await unpacked()).toEqual([root]);
  });
});

describe("the formulas", () => {
  const hash = (digit: string): string => digit.repeat(64);
  const files = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64.exe"];
  const make = (to: string, sums: string) =>
    spawnSync(
      process.execPath,
      ["release/formulas.js", "1.2.3", "https://shop.example/v1.2.3", sums, to],
      { encoding: "utf8" },
    );

  it("have the checksums of the release", async () => {
    await using folder = await createFolder();
    const sums = files
      .map((name, index) => `${hash(String(index))}  pix-sandbox-${name}\n`)
      .join("");
    await writeFile(folder.at("SHA256SUMS"), sums);
    expect(make(folder.path, folder.at("SHA256SUMS"))).toMatchObject({ status: 0 });
    const ruby = await readFile(folder.at("pix-sandbox.rb"), "utf8");
    expect(ruby).toContain(
      `url "https://shop.example/v1.2.3/pix-sandbox-linux-x64"\n      sha256 "${hash("3")}"`,
    );
    const scoop = JSON.parse(await readFile(folder.at("pix-sandbox.json"), "utf8")) as object;
    expect(scoop).toMatchObject({
      version: "1.2.3",
      architecture: { "64bit": { hash: hash("4") } },
    });
  });

  it("are not made without a checksum", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("SHA256SUMS"), `${hash("0")}  pix-sandbox-linux-x64\n`);
    const { status, stderr } = make(folder.path, folder.at("SHA256SUMS"));
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining("has no checksum of pix-sandbox-darwin-arm64"),
    ]);
  });
});
