import { readFile, truncate, writeFile } from "node:fs/promises";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { renderQrPng } from "../../../src/http/calls/qr-image.ts";
import { startSandbox } from "../../../src/client/start.ts";
import { createFolder } from "../../support/folder.ts";
import { runMain, runMainJson } from "../../support/main.ts";
import { draw, qrPicture, toJpeg, toPng } from "../../support/pictures.ts";

/** The code of a charge, as the central bank's manual has it. */
const CODE =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";
const FIELDS = `   00     payload format       01
   01     point of initiation  12 (for one payment)
   26     merchant account
   26-00  arrangement          br.gov.bcb.pix
   26-25  location             pix.example.com/8b3da2f39a4140d1a91abd93113bd441
   52     merchant category    0000 (not given)
   53     currency             986 (BRL, the real)
   58     country              BR
   59     merchant name        Fulano de Tal
   60     merchant city        BRASILIA
   62     additional data
   62-05  txid                 *** (none)
   63     CRC                  64E4 (correct)
`;
const VALID = "Valid. A dynamic code: the payer's bank reads the charge from the location.\n";

describe("decode", { timeout: 60_000 }, () => {
  it("explains each field of a code, without a sandbox", async () => {
    const ended = await runMain(["decode", CODE]);
    expect(ended).toMatchObject({ code: 0, stdout: `${FIELDS}\n${VALID}`, stderr: "" });
  });

  it("takes a code that was pasted without quotes, and one from stdin", async () => {
    const unquoted = await runMain(["decode", ...CODE.split(" ")]);
    expect(unquoted).toMatchObject({ code: 0, stdout: `${FIELDS}\n${VALID}` });
    const piped = await runMain(["decode", "-"], { stdin: `  ${CODE}\r\n` });
    expect(piped).toMatchObject({ code: 0, stdout: `${FIELDS}\n${VALID}` });
  });

  it("prints the code of a picture before its fields", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("charge.png"), renderQrPng(CODE));
    await writeFile(folder.at("charge"), toJpeg(qrPicture(CODE)));
    for (const file of ["charge.png", "./charge"])
      expect(await runMain(["decode", file], { cwd: folder.path })).toMatchObject({
        code: 0,
        stdout: `${CODE}\n\n${FIELDS}\n${VALID}`,
        stderr: "",
      });
    const stdin = await readFile(folder.at("charge"));
    expect((await runMain(["decode", "-"], { stdin })).stdout).toContain(FIELDS);
  });

  it("takes a file with the text of a code", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at("code.txt"), `${CODE}\n`);
    const { stdout } = await runMain(["decode", "code.txt"], { cwd: folder.path });
    expect(stdout).toBe(`${FIELDS}\n${VALID}`);
  });

  it("takes a picture with a transparent ground", async () => {
    const png = PNG.sync.read(renderQrPng(CODE));
    // Black everywhere: only the opacity tells the modules from the ground.
    for (let at = 0; at < png.data.length; at += 4) {
      png.data[at + 3] = 255 - (png.data[at] ?? 0);
      png.data.fill(0, at, at + 3);
    }
    const { stdout } = await runMain(["decode", "-"], { stdin: PNG.sync.write(png) });
    expect(stdout).toBe(`${CODE}\n\n${FIELDS}\n${VALID}`);
  });

  it.each([
    ["UTF-16 as PowerShell writes it", Buffer.from(`\ufeff${CODE}\r\n`, "utf16le"), 0],
    ["UTF-16, big-endian", Buffer.from(`\ufeff${CODE}`, "utf16le").swap16(), 0],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${CODE}`), 0],
    ["line breaks", Buffer.from(CODE.replace("5204", "\r\n5204")), 8],
  ])("takes a file of text in %s", async (_title, stdin, code) => {
    const ended = await runMain(["decode", "-"], { stdin });
    expect(ended).toMatchObject({ code, stdout: code === 0 ? `${FIELDS}\n${VALID}` : FIELDS });
  });

  it("shows the code that is right once it is mended, which makes the given one no valid code", async () => {
    const given = `"${CODE.replace("Fulano", "Fu\u200blano")}"`;
    const mended = await runMain(["decode", given]);
    expect(mended).toMatchObject({ code: 8, stdout: FIELDS });
    expect(mended.stderr).toBe(
      "error: The code contains the invisible character U+200B and quotes or other text around it.\n" +
        `With this mended, the CRC is right. The mended code:\n${CODE}\n`,
    );
    const { stdout } = await runMain(["decode", given, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ valid: false, code: given, mended: CODE });
    const paid = await runMain(["pay", given]);
    expect(paid.code).toBe(8);
    expect(paid.stderr).toContain(`The mended code:\n${CODE}\n`);
  });

  it("marks the wrong field and names it", async () => {
    const wrong = await runMain(["decode", CODE.replace("Tal", "Tao")]);
    expect(wrong.code).toBe(8);
    expect(wrong.stdout).toContain("\n!! 63     CRC                  64E4\n");
    expect(wrong.stderr).toMatch(/^error: Field 63 \(CRC\) must be "[\dA-F]{4}", but is "64E4"/);

    const portuguese = await runMain(["decode", "--lang", "pt-BR", CODE.slice(0, -4)]);
    expect(portuguese.code).toBe(8);
    expect(portuguese.stdout).toContain("   59     nome do lojista       Fulano de Tal\n");
    expect(portuguese.stdout).toMatch(/^!! 63 +CRC +-$/m);
    expect(portuguese.stderr).toMatch(/^erro: O campo 63 \(CRC\) deve terminar o código/);
  });

  it("prints JSON that is the same in both languages", async () => {
    const decoded = await runMainJson<{ fields: unknown[] }>(["decode", CODE]);
    expect(decoded).toMatchObject({ valid: true, code: CODE, kind: "dynamic", wrong: null });
    expect(decoded.fields[1]).toEqual({
      id: "01",
      name: "point of initiation",
      value: "12",
      note: "for one payment",
    });
    expect(await runMainJson(["decode", CODE, "--lang", "pt-BR"])).toEqual(decoded);

    const wrong = await runMain(["decode", "--json", `${CODE.slice(0, -1)}5`]);
    expect(wrong.code).toBe(8);
    const { valid, kind, wrong: field } = JSON.parse(wrong.stdout) as Record<string, unknown>;
    expect({ valid, kind, field }).toEqual({
      valid: false,
      kind: null,
      field: { field: "63", message: expect.stringContaining("64E4") as string },
    });
    expect(JSON.parse(wrong.stderr)).toMatchObject({ error: { code: "BR_CODE_NOT_VALID" } });
  });

  it("says why a picture cannot be read", async () => {
    await using folder = await createFolder();
    const decode = (): Promise<{ code: number | null; stderr: string }> =>
      runMain(["decode", folder.at("charge.png")]);
    await writeFile(folder.at("charge.png"), toPng(draw(100, 100, () => 255)));
    expect(await decode()).toMatchObject({ code: 8, stderr: expect.stringContaining("QR code") });
    await writeFile(folder.at("charge.png"), renderQrPng(CODE).subarray(0, 300));
    expect(await decode()).toMatchObject({ code: 8, stderr: expect.stringContaining("damaged") });
    await writeFile(folder.at("charge.png"), "GIF89a\u0001\u0000");
    expect(await decode()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("neither a PNG nor a JPEG"),
    });
    await writeFile(folder.at("charge.png"), Buffer.alloc(10 * 1024 * 1024 + 1));
    expect(await decode()).toMatchObject({ code: 2, stderr: expect.stringContaining("10 MiB") });
  });

  it("reads no more of a file or of stdin than it accepts", async () => {
    await using folder = await createFolder();
    // A file of which only the size is stored; reading all of it would fail.
    await writeFile(folder.at("large.png"), "");
    await truncate(folder.at("large.png"), 3 * 1024 ** 3);
    const sources = process.platform === "win32" ? ["large.png"] : ["large.png", "/dev/zero"];
    for (const source of sources)
      expect(await runMain(["decode", source], { cwd: folder.path })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("larger than 10 MiB"),
      });

    let sent = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (; sent < 100; sent++) yield Buffer.alloc(1024 * 1024);
    }
    expect(await runMain(["decode", "-"], { stdin: endless() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("larger than 10 MiB"),
    });
    expect(sent).toBeLessThan(30);
  });

  it("takes the beginning of a code for a code that was cut, not for an id", async () => {
    const cut = await runMain(["decode", CODE.slice(0, 8)]);
    expect(cut).toMatchObject({ code: 8, stderr: expect.stringContaining("Copy the whole code") });
  });

  it.each(["abc", "", "5f0c2a52", "not a code"])(
    "ends with 8 for what is no code: %j",
    async (text) => {
      const nowhere = ["--url", "http://127.0.0.1:9"];
      expect(await runMain(["decode", text, ...nowhere])).toMatchObject({ code: 8, stdout: "" });
      const { stdout } = await runMain(["decode", text, "--json", ...nowhere]);
      expect(JSON.parse(stdout)).toMatchObject({ valid: false, wrong: { field: "code" } });
    },
  );

  it.each(["", '<?xml version="1.0"?>\n'])(
    "reads no SVG, as a file or from stdin: %j",
    async (head) => {
      const stdin = `${head}<svg xmlns="http://www.w3.org/2000/svg"></svg>`;
      await using folder = await createFolder();
      await writeFile(folder.at("charge.svg"), stdin);
      for (const name of ["charge.svg", "-"]) {
        const refused = await runMain(["decode", name], { cwd: folder.path, stdin });
        expect(refused).toMatchObject({ code: 2, stdout: "" });
        expect(refused.stderr).toContain("SVG");
      }
    },
  );

  it("explains the code of a payin, from its id", async () => {
    await using sandbox = await startSandbox();
    const { id, qrCode } = await sandbox.payins.create();
    for (const name of ["last", id, id.slice(0, 8), qrCode]) {
      const decoded = await runMainJson(["decode", name, "--url", sandbox.url]);
      expect(decoded).toMatchObject({ valid: true, code: qrCode, kind: "dynamic" });
    }
    const { stdout } = await runMain(["decode", "last", "--url", sandbox.url]);
    expect(stdout.startsWith(`${qrCode}\n\n   00     payload format `)).toBe(true);
    expect(await runMain(["decode", "0000ffff", "--url", sandbox.url])).toMatchObject({
      code: 5,
      stdout: "",
    });
    expect(await runMain(["decode", "last", "--url", "http://127.0.0.1:9"])).toMatchObject({
      code: 3,
      stdout: "",
    });
  });
});
