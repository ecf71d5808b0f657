import { mkdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { runMain } from "../support/main.ts";
import { probeVariant } from "../support/variant-probe.ts";
import { startVariant } from "../variants/start-variant.ts";

const CONFIG = "pix-sandbox.config.json";
const CREDENTIALS = [{ api_key: "shop", api_secret: "open sesame", merchant_id: "1" }];

interface Written {
  readonly assumptions: Readonly<Record<string, string | number>>;
  readonly observed: Readonly<Record<string, { at: string; by: string; evidence: string[] }>>;
}

describe("probe", { timeout: 60_000 }, () => {
  it("writes what was observed, with the evidence, and no token", async () => {
    await using variant = await startVariant(
      { credentials: "listed", "payout.rival": "reject" },
      { speed: 30 },
    );
    const { observed } = await probeVariant(variant, { speed: 30 });
    const { api_key: token, merchant_id: id } = variant.credential;
    await using folder = await createFolder();
    await mkdir(folder.at(".pix-sandbox"));
    const end = JSON.stringify(observed);
    const args = ["probe", "--base-url", variant.url, "--token", token, "--provider-id", id];
    const probe = async (...more: string[]) => {
      // Nothing is left to call.
      await writeFile(folder.at(".pix-sandbox/probe.json"), end);
      const { code, stderr } = await runMain([...args, "--yes", ...more], { cwd: folder.path });
      expect(code).toBe(0);
      return stderr;
    };
    const read = async (name: string): Promise<Written> => {
      const text = await readFile(folder.at(name), "utf8");
      expect(text).not.toContain(token);
      return JSON.parse(text) as Written;
    };

    const said = await probe("--write", "--profile", "profiles/staging.json");
    const profile = await read("profiles/staging.json");
    expect(profile.assumptions).toMatchObject({ credentials: "listed", "payout.rival": "reject" });
    expect(profile.observed["payout.rival"]).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      by: "probe",
      evidence: ["POST /v1/payouts 422 NOT_PROCESSABLE"],
    });
    const { assumptions, observed: all } = await read(CONFIG);
    expect(Object.entries(all).filter(([, { evidence }]) => evidence.length === 0)).toEqual([]);
    expect(assumptions).toMatchObject({ "payout.rival": "reject" });
    expect(assumptions).not.toHaveProperty("credentials");
    expect(said).toContain(`credentials=listed is not set, because ${CONFIG} lists no credentials`);

    await writeFile(folder.at(CONFIG), JSON.stringify({ seed: 42, credentials: CREDENTIALS }));
    await probe("--write");
    expect(await read(CONFIG)).toMatchObject({ seed: 42, assumptions: { credentials: "listed" } });
  });

  it("says the same of a gateway again: payouts of the first time may still be in progress", async () => {
    await using variant = await startVariant(
      { "payout.recipient": "pix_key", "payout.rival": "reject" },
      { speed: 30 },
    );
    const choices = async () =>
      (await probeVariant(variant, { speed: 30 })).verdicts.map((one) => [one.name, one.choice]);
    expect(await choices()).toEqual(await choices());
  });

  it("makes no more calls if the first payin is refused, or its simulation", async () => {
    await using folder = await createFolder();
    await using variant = await startVariant({ credentials: "listed" });
    const args = ["probe", "--base-url", variant.url, "--yes", "--token", "other"];
    const refused = await runMain(args, { cwd: folder.path });
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain("refused the first payin: 401 NO_ACTIVE_CREDENTIAL.");
    expect(variant.requests).toHaveLength(1);

    await using production = await startVariant(
      { environment: "production" },
      { deviations: ["errors.message_only"] },
    );
    const own = ["probe", "--base-url", production.url, "--yes", "--token", "own"];
    const stopped = await runMain(own, { cwd: folder.path });
    expect(stopped.stderr).toContain("this is production");
    expect(production.requests).toHaveLength(2);
  });
});
