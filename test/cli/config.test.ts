import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { runMain, runMainJson, type ServingMain, serveMain } from "../support/main.ts";
import { createFolder } from "../support/folder.ts";
import { callsTo } from "../support/calls.ts";

const FILE = "pix-sandbox.config.json";

describe("the config file of serve", { timeout: 60_000 }, () => {
  it("is read from the working directory: flags, assumptions and credentials", async () => {
    const config = {
      memory: true,
      seed: 42,
      clock: "frozen",
      now: "2026-11-21T12:00:00Z",
      city: "Recife",
      allow_host: ["pix.example.com"],
      https: false,
      assumptions: { "payout.rival": "allow", "rate_limit.per_minute": 60, "email.size": 77 },
      credentials: [{ api_key: "shop", api_secret: "open sesame", merchant_id: 42 }],
    };
    await using serving = await serveWith(config);
    expect(serving.ready).toMatchObject({ seed: "42", state_file: null });
    expect(await choicesOf(serving)).toMatchObject({
      "payout.rival": "allow",
      "rate_limit.per_minute": 60,
      "email.size": "77",
    });
    const clock = ["clock", "--url", serving.url];
    expect(await runMainJson(clock)).toMatchObject({
      mode: "frozen",
      now: "2026-11-21T12:00:00.000Z",
    });
  });

  it("takes lists from the environment, parted by commas, and from flags in their place", async () => {
    await using folder = await createFolder();
    const fixtures = ["one.json", "other.json"];
    for (const name of fixtures)
      await writeFile(folder.at(name), JSON.stringify({ faults: [{ ...FAULT, match: { name } }] }));
    const env = {
      PIX_SANDBOX_ASSUME: "payout.rival=allow, payout.recipient=pix_key",
      PIX_SANDBOX_FIXTURES: fixtures.map((name) => folder.at(name)).join(","),
      PIX_SANDBOX_ALLOW_HOST: "pix.example.com,pay.example.com,",
      PIX_SANDBOX_CORS: "https://shop.example.com",
    };
    const rows = ["faults", "--url"];
    await using byEnvironment = await serveWith({ assumptions: { "email.size": "77" } }, [], env);
    expect(await choicesOf(byEnvironment)).toMatchObject({
      "payout.rival": "allow",
      "payout.recipient": "pix_key",
      "email.size": "77",
    });
    const { data } = await runMainJson<{ data: object[] }>([...rows, byEnvironment.url]);
    expect(data).toMatchObject([
      { match: { name: "one.json" } },
      { match: { name: "other.json" } },
    ]);
    for (const host of ["pix.example.com", "pay.example.com"]) {
      const headers = { host, origin: "https://shop.example.com" };
      const request = get(`${byEnvironment.url}/_sandbox/health`, { headers });
      const [{ statusCode, headers: answered }] = (await once(request, "response")) as [
        IncomingMessage,
      ];
      expect({ statusCode, allowed: answered["access-control-allow-origin"] }).toEqual({
        statusCode: 200,
        allowed: "https://shop.example.com",
      });
      request.destroy();
    }
    await using byFlag = await serveWith({}, ["--assume", "payout.rival=reject"], env);
    expect(await choicesOf(byFlag)).toMatchObject({
      "payout.rival": "reject",
      "payout.recipient": "receiver_cpf",
    });
  });

  it("may begin with a byte order mark, like fixtures", async () => {
    await using folder = await createFolder();
    const write = (name: string, value: object): Promise<void> =>
      writeFile(folder.at(name), `\ufeff${JSON.stringify(value)}`);
    const fault = { on: "payins.create", effect: "error=EXTERNAL_ERROR" };
    await write("fixtures.json", { faults: [fault] });
    await write("config.json", { memory: true, fixtures: [folder.at("fixtures.json")] });
    await using sandbox = await serveMain(["--config", folder.at("config.json")]);
    expect(sandbox.ready.state_file).toBeNull();
    expect(await runMain(["payin", "create", "--url", sandbox.url])).toMatchObject({ code: 4 });
  });

  it("is another that --config or PIX_SANDBOX_CONFIG names, in place of that one", async () => {
    await using folder = await createFolder();
    const other = folder.at("other.json");
    await writeFile(other, JSON.stringify({ seed: "other" }));
    const config = { seed: "here", memory: true };
    await using byFlag = await serveWith(config, ["--config", other, "--memory"]);
    expect(byFlag.ready.seed).toBe("other");
    await using byEnvironment = await serveWith(config, ["--memory"], {
      PIX_SANDBOX_CONFIG: other,
    });
    expect(byEnvironment.ready.seed).toBe("other");
  });

  it("selects the language, pt too, in which the rest of the start speaks", async () => {
    await using folder = await createFolder();
    await writeFile(folder.at(FILE), JSON.stringify({ lang: "pt", public_url: "a" }));
    const { code, stderr } = await runMain(SERVE, { cwd: folder.path });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^erro: Valor inválido em public_url /),
    ]);
  });

  it("lists the credentials that are active", async () => {
    await using serving = await serveWith({
      memory: true,
      assumptions: { credentials: "listed" },
      credentials: [{ api_key: "shop", api_secret: "open sesame", merchant_id: "1" }],
    });
    const secret = ["secret", "--url", serving.url, "--token", "shop"];
    expect((await runMain(secret)).stdout).toBe(`whsec_${btoa("open sesame")}\n`);
    const members = { webhook_url: "http://127.0.0.1:9/hook" };
    expect(await callsTo(serving.url, "another").createPayin(members)).toMatchObject({
      status: 401,
    });
    // The commands are anybody's who says so.
    const shop = ["--url", serving.url, "--token", "shop"];
    const create = ["payin", "create", "--value", "1", ...shop];
    expect(await runMain(create)).toMatchObject({ code: 4 });
    expect(await runMain([...create, "--provider-id", "1"])).toMatchObject({ code: 0 });
    const env = { PIX_SANDBOX_PROVIDER_ID: "1" };
    expect(await runMain(create, { env })).toMatchObject({ code: 0 });
  });

  it.each([
    ["an unknown member", { prot: 1 }, ['"prot"', 'Did you mean "port"?']],
    ["a member in camelCase", { publicUrl: "a" }, ['Did you mean "public_url"?']],
    ["a member that every object has", JSON.parse('{"__proto__":1}'), ["__proto__"]],
    ["a text for a switch", { memory: "yes" }, ["memory in", "true or false"]],
    ["a text for a list", { cors: "http://localhost" }, ["cors in", "a list of origins"]],
    ["an unknown assumption", { assumptions: { "payout.rivals": "allow" } }, ["payout.rivals"]],
    ["an unknown choice", { assumptions: { "payout.rival": "fight" } }, ["payout.rival"]],
    ["a list of assumptions", { assumptions: ["payout.rival=allow"] }, ["assumptions in"]],
    [
      "half a credential",
      { credentials: [{ api_key: "shop" }] },
      ["credentials.0 in", "an object with"],
    ],
    [
      "a secret that continues without base64",
      { credentials: [{ api_key: "a", api_secret: "whsec_b", merchant_id: "c" }] },
      ["credentials.0 in", "continues with base64"],
    ],
    [
      "a member of no credential",
      { credentials: [{ api_key: "a", api_secret: "b", merchant_id: "c", token: "d" }] },
      ["credentials.0 in"],
    ],
    [
      "two credentials with one key",
      {
        credentials: ["b", "c"].map((text) => ({
          api_key: "a",
          api_secret: text,
          merchant_id: text,
        })),
      },
      ["credentials.1 in", "an api_key of its own"],
    ],
    ["no object", [], ["JSON object"]],
    ["null", null, ["JSON object"]],
    ["no JSON", "{", ["JSON"]],
  ])("ends serve with 2 for %s, and names it and the file", async (_title, config, named) => {
    await using folder = await createFolder();
    await writeFile(folder.at(FILE), config === "{" ? config : JSON.stringify(config));
    const { code, stdout, stderr } = await runMain(SERVE, { cwd: folder.path });

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const text of [FILE, ...named]) expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it("ends serve with 2 if it cannot be read, or requires credentials that it does not list", async () => {
    await using folder = await createFolder();
    const missing = folder.at("missing.json");
    const unread = await runMain([...SERVE, "--config", missing]);
    expect(unread).toMatchObject({ code: 2, stdout: "" });
    expect(unread.stderr).toContain("missing.json");
    const isFolder = await runMain([...SERVE, "--config", folder.path]);
    expect(isFolder).toMatchObject({ code: 2, stdout: "" });

    const unlisted = await runMain([...SERVE, "--assume", "credentials=listed"]);
    expect(unlisted).toMatchObject({ code: 2, stdout: "" });
    expect(unlisted.stderr).toContain("credentials");
  });
});

const SERVE = ["serve", "--memory", "--port", "0"];
const FAULT = { on: "payins.create", effect: "error=EXTERNAL_ERROR" };

/** Starts `serve` where a config file lies; the folder is needed until it answers. */
async function serveWith(
  config: object,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServingMain> {
  await using folder = await createFolder();
  await writeFile(folder.at(FILE), JSON.stringify(config));
  return await serveMain([...args], { cwd: folder.path, env });
}

async function choicesOf({ url }: ServingMain): Promise<Readonly<Record<string, unknown>>> {
  const { data } = await runMainJson<{ data: { name: string; choice: unknown }[] }>([
    "assumptions",
    "--url",
    url,
  ]);
  return Object.fromEntries(data.map(({ name, choice }) => [name, choice]));
}
