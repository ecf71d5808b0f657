import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/server/start.ts";
import type { Shown } from "../support/calls.ts";
import { createFolder } from "../support/folder.ts";
import { runMain, runMainJson } from "../support/main.ts";
import { qrPicture, toJpeg, toPng, turned } from "../support/pictures.ts";
import type { Ended } from "../support/process.ts";

const FOREIGN_CODE =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4";

describe("pay", { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  let env: Record<string, string>;
  beforeAll(async () => {
    sandbox = await startSandbox();
    env = { PIX_SANDBOX_URL: sandbox.url };
  });
  afterAll(() => sandbox.close());

  const create = (): Promise<Shown> => runMainJson<Shown>(["payin", "create"], { env });
  const pay = (...args: string[]): Promise<Ended> => runMain(["pay", ...args], { env });
  const isPaid = ({ id }: Shown): object => ({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^payin ${id} is paid\n\npayin\\.paid  evt_[^]+ {3}verified: the signature is valid\n$`,
      ),
    ) as string,
    stderr: expect.stringMatching(/^\nIts bytes and headers: .+ webhooks show evt_.+\n$/) as string,
  });

  it("pays by the BR Code, quoted or not, and from stdin", async () => {
    const [quoted, unquoted, piped] = [await create(), await create(), await create()];
    expect(await pay(quoted.qr_code)).toMatchObject(isPaid(quoted));
    expect(await pay(...unquoted.qr_code.split(" "))).toMatchObject(isPaid(unquoted));
    const stdin = `${piped.qr_code}\n`;
    expect(await runMain(["pay", "-"], { env, stdin })).toMatchObject(isPaid(piped));
  });

  it("pays by a picture", async () => {
    await using folder = await createFolder();
    const [png, jpeg] = [await create(), await create()];
    await writeFile(folder.at("charge.png"), toPng(turned(qrPicture(png.qr_code), 30)));
    expect(await pay(folder.at("charge.png"))).toMatchObject(isPaid(png));
    const stdin = toJpeg(qrPicture(jpeg.qr_code));
    expect(await runMain(["pay", "-"], { env, stdin })).toMatchObject(isPaid(jpeg));
  });

  it("pays by the id, and prints the record with --json", async () => {
    const payin = await create();
    expect(await runMainJson(["pay", payin.id], { env })).toMatchObject({
      id: payin.id,
      status: "paid",
    });
  });

  it.each([
    ["pay", "payin", "payin.paid"],
    ["payin pay", "payin", "payin.paid"],
    ["payout complete", "payout", "payout.completed"],
    ["simulate payout", "payout", "payout.completed"],
  ])(
    "shows the webhook that got no response, and says that it is signed: %s",
    async (line, noun, type) => {
      await runMain([noun, "create", "--webhook-url", "http://127.0.0.1:9/hook"], { env });
      const { code, stdout } = await runMain([...line.split(" "), "last"], { env });
      expect(code).toBe(0);
      expect(stdout).toContain(`\n\n${type}  evt_`);
      expect(stdout).toMatch(/\n {3}<-- {2}ECONNREFUSED 127\.0\.0\.1:9 .*\n[^]+\n {3}signed\n$/);
    },
  );

  it("does not wait for a webhook that is due later", async () => {
    await runMain(["faults", "add", "webhook", "delay_ms=60000", "--times", "1"], { env });
    await create();
    const { code, stdout } = await pay("last");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n {3}<-- {2}No attempts yet\.\n$/)]);
  });

  it("names the wrong field of a code, before it calls the sandbox", async () => {
    const wrong = await pay(FOREIGN_CODE.replace(/....$/, "0000"));
    expect(wrong).toMatchObject({ code: 8, stdout: "" });
    expect(wrong.stderr).toContain("error: Invalid BR Code. Field 63 (CRC)");
    expect(wrong.stderr).toContain("npx pix-sandbox decode");
  });

  it("ends with 5 for a code or an id that the sandbox does not have, with 4 for a paid one", async () => {
    expect(await pay(FOREIGN_CODE)).toMatchObject({ code: 5, stdout: "" });
    expect(await pay("5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10")).toMatchObject({ code: 5 });
    const { qr_code } = await create();
    await pay(qr_code);
    expect(await pay(qr_code)).toMatchObject({ code: 4, stdout: "" });
  });

  it("refuses a picture before it calls the sandbox: one without a readable code, and one of no BR Code", async () => {
    for (const [stdin, code, reason] of [
      [toPng(qrPicture(FOREIGN_CODE)).subarray(0, 300), 8, "damaged"],
      [toPng(qrPicture("last")), 8, "Invalid BR Code."],
    ] as const) {
      const refused = await runMain(["pay", "-"], { env, stdin });
      expect(refused).toMatchObject({ code, stdout: "" });
      expect(refused.stderr).toContain(reason);
    }
  });

  it("acts as the integration of --token", async () => {
    const { qr_code } = await create();
    expect(await pay("--token", "other", qr_code)).toMatchObject({ code: 5 });
    expect(await pay("--token", "sandbox", qr_code)).toMatchObject({ code: 0 });
  });
});
