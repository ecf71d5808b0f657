import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../support/cli.ts";
import { runMain, runMainJson, type ServingMain, serveMain } from "../../support/main.ts";
import { freePort } from "../../support/process.ts";
import { callsTo, type Shown } from "../../support/calls.ts";

const WEBHOOK_URL = "http://127.0.0.1:9/hook";

describe("the address of a sandbox", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain();
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it("is the flag's if the environment has another", async () => {
    const env = { PIX_SANDBOX_URL: `http://127.0.0.1:${await freePort()}` };
    expect((await runMain(["secret", "--url", sandbox.url], { env })).code).toBe(0);
    expect((await runMain(["secret"], { env })).code).toBe(3);
  });
});

describe("--token", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain();
    for (const token of ["one", "another"]) {
      const { body } = await callsTo(sandbox.url, token).createPayin({ webhook_url: WEBHOOK_URL });
      await callsTo(sandbox.url, token).simulate("payin", body.id);
    }
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it.each([
    ["payin", "list"],
    ["webhooks", "list"],
  ])("lets `%s %s` show that integration's alone; without it, it shows all", async (...list) => {
    const about = async (args: string[], env = {}): Promise<string[]> => {
      const run = [...list, ...args, "--url", sandbox.url];
      return (await runMainJson<{ data: Shown[] }>(run, { env })).data.map(
        ({ integration }) => integration,
      );
    };
    expect(await about([])).toEqual(["another", "one"]);
    expect(await about(["--token", "one"])).toEqual(["one"]);
    expect(await about([], { PIX_SANDBOX_TOKEN: "another" })).toEqual(["another"]);
    expect(await about(["--token", "one"], { PIX_SANDBOX_TOKEN: "another" })).toEqual(["one"]);
    expect(await about(["--token", "nobody"])).toEqual([]);
  });

  it("names the integration of a created record: `sandbox` without it", async () => {
    const create = ["payin", "create", "--webhook-url", WEBHOOK_URL, "--url", sandbox.url];
    expect((await runMainJson<Shown>(create)).integration).toBe("sandbox");
    expect((await runMainJson<Shown>([...create, "--token", "mine"])).integration).toBe("mine");
  });
});

describe("the flags of a created record", { timeout: 60_000 }, () => {
  it.each([
    [
      "payin",
      {
        value: 1234.56,
        description: "Pedido 1",
        buyer_cpf: "52998224725",
        buyer_name: "José",
        buyer_email: "jose@example.com",
        webhook_url: WEBHOOK_URL,
        expiration: 20,
        generate_qrcode: true,
      },
    ],
    [
      "payout",
      {
        value: 25,
        description: "Saque",
        receiver_cpf: "52998224725",
        receiver_name: "José",
        receiver_email: "jose@example.com",
        webhook_url: WEBHOOK_URL,
        pix_key: "+5511987654321",
        pix_key_type: "phone",
      },
    ],
  ])("are the members of a %s", async (noun, members) => {
    await using sandbox = await serveMain();
    const flags = Object.entries(members).flatMap(([name, value]) => [
      `--${name.replaceAll("_", "-")}`,
      ...(value === true ? [] : [String(value)]),
    ]);
    const create = [noun, "create", ...flags, "--url", sandbox.url];
    expect(await runMainJson(create)).toMatchObject(members);
  });
});

describe("the choices of serve", { timeout: 60_000 }, () => {
  it("are on BR codes with --public-url and --city", async () => {
    const args = ["--memory", "--public-url", "https://pix.example.com", "--city", "Recife"];
    await using sandbox = await serveMain(args);
    const { qr_code } = await runMainJson<Shown>(["payin", "create", "--url", sandbox.url]);

    expect(qr_code).toContain("pix.example.com/");
    expect(qr_code).toMatch(/6006RECIFE/i);
  });
});

describe("--host", { timeout: 60_000 }, () => {
  const serve = ["--memory", "--quiet", "--host"];

  it.each(["127.0.0.1", "localhost"])("listens in silence on this machine: %s", async (host) => {
    await using sandbox = await serveMain([...serve, host]);
    expect((await sandbox.stop()).stderr).toBe("");
  });

  it("warns with its addresses if other machines can reach it", async () => {
    await using sandbox = await serveMain([...serve, "0.0.0.0"]);
    const [first = "", warning] = await sandbox.lines("stderr", 2);
    expect(warning).toMatch(/^Warning: .*--control-token/);
    const addresses = first.match(/http:[^,\s]+/g) ?? [];
    expect(addresses.length).toBeGreaterThan(0);
    for (const url of addresses) expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200);
  });

  it("does the same for exec", async () => {
    const { code, stderr } = await runCli(["exec", "--host", "0.0.0.0", "--", "true"]);
    expect(code).toBe(0);
    expect(stderr).toContain("Open to the network: http://");
  });
});
