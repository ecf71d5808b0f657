import { mkdir, readFile, writeFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import type { AssumptionRow } from "../../src/core/assumptions/table.ts";
import { Page } from "../support/documents.ts";
import { createFolder } from "../support/folder.ts";
import { runMain, runMainJson, serveMain } from "../support/main.ts";

const schema = JSON.parse(
  await readFile(new URL("../../profile.schema.json", import.meta.url), "utf8"),
) as object;
const AT = "2026-11-26T12:00:00.000Z";
const PROFILE = {
  name: "staging",
  assumptions: { "payout.rival": "reject", "email.size": "77", unknown_field: "reject" },
  observed: {
    "payout.rival": { at: AT, by: "probe", evidence: ["POST /v1/payouts 422 NOT_PROCESSABLE"] },
  },
};

describe("a profile", { timeout: 60_000 }, () => {
  it("fits its schema, as in the docs", async () => {
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    const page = await Page.read("docs/fidelity.md");
    expect(validate(JSON.parse(page.take("json")))).toBe(true);
    expect(page.untaken).toEqual([]);
    expect(validate(PROFILE)).toBe(true);
    expect(validate({ ...PROFILE, assumptions: { "payout.rival": "maybe" } })).toBe(false);
  });

  it("is named beside each choice that comes from it", async () => {
    await using serving = await serve(PROFILE, ["--assume", "email.size=any"]);
    const of = await rowsOf(serving.url);
    expect(of("payout.rival")).toMatchObject({
      choice: "reject",
      profile: "staging",
      observed: AT,
    });
    expect(of("unknown_field")).toMatchObject({ profile: "staging", observed: null });
    expect(of("email.size")).not.toHaveProperty("profile");
    const { stdout } = await runMain(["assumptions", "--url", serving.url]);
    expect(stdout.match(/From the profile .*/g)).toEqual([
      "From the profile staging, observed on 2026-11-26.",
      "From the profile staging.",
    ]);
  });

  it("comes after the choices of the config file, which can name it", async () => {
    const config = { profile: "profiles/staging.json", assumptions: { unknown_field: "ignore" } };
    await using serving = await serve(PROFILE, [], config);
    const of = await rowsOf(serving.url);
    expect(of("unknown_field")).not.toHaveProperty("profile");
    expect(of("payout.rival")).toMatchObject({ profile: "staging" });
  });

  it("does not require credentials that the config file lacks", async () => {
    const listed = { assumptions: { credentials: "listed" } };
    await using serving = await serve(listed);
    const of = await rowsOf(serving.url);
    expect(of("credentials")).not.toHaveProperty("profile");
    expect(serving.stderr).toContain("The profile staging accepts only listed tokens");
    const credentials = [{ api_key: "shop", api_secret: "open sesame", merchant_id: "1" }];
    await using second = await serve(listed, [], { credentials });
    const ofSecond = await rowsOf(second.url);
    expect(ofSecond("credentials")).toMatchObject({ choice: "listed", profile: "staging" });
  });

  it.each([
    ["{", "The profile profiles/staging.json is not JSON"],
    ["[]", "The profile profiles/staging.json is not a JSON object."],
    [`{"assumptions":{"payout.rival":"maybe"}}`, "payout.rival takes cancel, reject, allow."],
    [`{"assumptions":{},"choices":{}}`, `has the unknown member "choices".`],
  ])("is refused if it is %s", async (content, reason) => {
    await using folder = await createFolder();
    await mkdir(folder.at("profiles"));
    await writeFile(folder.at("profiles/staging.json"), content);
    const args = ["serve", "--memory", "--port", "0", "--profile", "profiles/staging.json"];
    const { code, stderr } = await runMain(args, { cwd: folder.path });
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});

/** A sandbox with a profile that its flag names, or a config file. */
async function serve(profile: object, args: readonly string[] = [], config?: object) {
  const folder = await createFolder();
  await mkdir(folder.at("profiles"));
  await writeFile(folder.at("profiles/staging.json"), JSON.stringify(profile));
  if (config) await writeFile(folder.at("pix-sandbox.config.json"), JSON.stringify(config));
  const isNamed = config !== undefined && "profile" in config;
  const named = isNamed ? [] : ["--profile", "profiles/staging.json"];
  const serving = await serveMain(["--memory", ...named, ...args], { cwd: folder.path });
  const stop = serving[Symbol.asyncDispose].bind(serving);
  return Object.assign(serving, {
    async [Symbol.asyncDispose]() {
      await stop();
      await folder[Symbol.asyncDispose]();
    },
  });
}

async function rowsOf(url: string): Promise<(name: string) => AssumptionRow | undefined> {
  const args = ["assumptions", "--url", url];
  const { data } = await runMainJson<{ data: AssumptionRow[] }>(args);
  return (name) => data.find((row) => row.name === name);
}
