import { readFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../support/cli.ts";
import { runMain, runMainJson, type ServingMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { freePort } from "../../support/process.ts";
import type { Shown } from "../../support/calls.ts";
import { renderTerminal, scanDrawing, scanPng } from "./scan.ts";

/** The code of a charge, as the central bank's manual has it. */
const CODE =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";

describe("qr of a payin", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  let payin: Shown;
  beforeAll(async () => {
    sandbox = await serveMain();
    payin = await runMainJson<Shown>(["payin", "create", "--url", sandbox.url]);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it("draws its code in the terminal", async () => {
    const { code, stdout } = await runMain(["qr", payin.id, "--url", sandbox.url]);

    expect(code).toBe(0);
    expect(scanDrawing(stdout)).toBe(payin.qr_code);
  });

  it("writes it as a PNG, and draws nothing", async () => {
    await using folder = await createFolder();
    const file = folder.at("charge.png");
    const { code, stdout, stderr } = await runMain([
      "qr",
      payin.id,
      "-o",
      file,
      "--url",
      sandbox.url,
    ]);

    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain(file);
    expect(scanPng(await readFile(file))).toBe(payin.qr_code);
  });

  it("writes it as an SVG", async () => {
    await using folder = await createFolder();
    const file = folder.at("charge.SVG");
    expect((await runMain(["qr", payin.id, "--output", file, "--url", sandbox.url])).code).toBe(0);

    const image = await readFile(file, "utf8");
    expect(image).toMatch(/^(<\?xml [^>]*>\s*)?<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(image.trimEnd()).toMatch(/<\/svg>$/);
  });
});

describe("qr of a BR code", { timeout: 60_000 }, () => {
  const nowhere = async () => ({
    env: { PIX_SANDBOX_URL: `http://127.0.0.1:${await freePort()}` },
  });

  it("needs no sandbox", async () => {
    const drawn = await runMain(["qr", CODE], await nowhere());

    expect(drawn).toMatchObject({ code: 0, stderr: "" });
    expect(scanDrawing(drawn.stdout)).toBe(CODE);
  });

  it.each([
    ["dark", { text: 200, background: 20 }],
    ["light", { text: 40, background: 250 }],
  ])("is black on white in a %s theme, whatever its colors are", async (_name, theme) => {
    const { code, stdout } = await runCli(["qr", CODE], { env: { FORCE_COLOR: "1" } });
    const image = renderTerminal(stdout.trimEnd(), theme);

    expect(code).toBe(0);
    expect(scanPng(image)).toBe(CODE);
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(80);
    // A scanner that reads white on black too would not notice colors that are turned.
    const { data, width } = PNG.sync.read(image);
    const { x, y } = { x: width >> 1, y: 5 * 4 };
    expect(data[(y * width + x) * 4]).toBe(255);
  });

  it("is written without a sandbox too", async () => {
    await using folder = await createFolder();
    await runMain(["qr", CODE, "-o", folder.at("code.png")], await nowhere());

    expect(scanPng(await readFile(folder.at("code.png")))).toBe(CODE);
  });

  it("writes no file if the code is wrong", async () => {
    await using folder = await createFolder();
    const file = folder.at("code.png");
    expect((await runMain(["qr", CODE.slice(0, -1), "-o", file])).code).toBe(2);
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });

  it("reports in a sentence that a file cannot be written", async () => {
    await using folder = await createFolder();
    const file = folder.at("no/such/folder/code.png");
    const { code, stdout, stderr } = await runMain(["qr", CODE, "-o", file]);

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(file);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});
