import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../support/cli.ts";
import { runMain, runMainJson, type ServingMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { freePort } from "../../support/process.ts";
import { callsTo, type Shown } from "../../support/calls.ts";

const WEBHOOK_URL = "http://127.0.0.1:9/hook";

describe("the address of a sandbox", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  beforeAll(async () => {
    sandbox = await serveMain();
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it.each([
    ["as it is", (url: string) => url],
    ["with a trailing slash", (url: string) => `${url}/`],
    ["with /v1", (url: string) => `${url}/v1`],
    ["with /v1 and a trailing slash", (url: string) => `${url}/v1/`],
    ["without its scheme", (url: string) => url.replace("http://", "")],
    ["as localhost", (url: string) => url.replace("127.0.0.1", "localhost")],
    ["with its scheme in capitals", (url: string) => url.replace("http", "HTTP")],
  ])("is understood %s, by --url and by PIX_SANDBOX_URL", async (_title, write) => {
    const url = write(sandbox.url);
    const byFlag = await runMain(["secret", "--url", url]);
    const byEnvironment = await runMain(["secret"], { env: { PIX_SANDBOX_URL: url } });

    for (const ended of [byFlag, byEnvironment]) {
      expect(ended).toMatchObject({ code: 0, stdout: `${sandbox.secret}\n`, stderr: "" });
    }
  });

  it("is the flag's if the environment has another", async () => {
    const env = { PIX_SANDBOX_URL: `http://127.0.0.1:${await freePort()}` };
    expect((await runMain(["secret", "--url", sandbox.url], { env })).code).toBe(0);
    expect((await runMain(["secret"], { env })).code).toBe(3);
  });
});

describe("--token", { timeout: 60_000 }, () => {
  let sandbox: ServingMain;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    sandbox = await serveMain();
    for (const token of ["one", "another"]) {
      const { body } = await callsTo(sandbox.url, token).createPayin({ webhook_url: WEBHOOK_URL });
      ids[token] = body.id;
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

  it("is refused if it is empty, instead of selecting all integrations", async () => {
    const reset = await runMain(["reset", "--token", "", "--url", sandbox.url]);
    expect(reset).toMatchObject({ code: 2, stdout: "" });
    expect(reset.stderr).toContain("The value is empty.");
    expect((await runMain(["payin", "show", ids["one"] ?? "", "--url", sandbox.url])).code).toBe(0);
  });

  it("hides another integration's record", async () => {
    const show = ["payin", "show", ids["one"] ?? "", "--url", sandbox.url];
    expect((await runMain(show)).code).toBe(0);
    expect((await runMain([...show, "--token", "one"])).code).toBe(0);
    expect((await runMain([...show, "--token", "another"])).code).toBe(5);
  });

  it("names the integration of a created record: `sandbox` without it", async () => {
    const create = ["payin", "create", "--webhook-url", WEBHOOK_URL, "--url", sandbox.url];
    expect((await runMainJson<Shown>(create)).integration).toBe("sandbox");
    expect((await runMainJson<Shown>([...create, "--token", "mine"])).integration).toBe("mine");
  });

  it("is not needed to simulate: the record names its integration", async () => {
    const { body } = await callsTo(sandbox.url, "somebody's").createPayout({
      webhook_url: WEBHOOK_URL,
    });
    const simulate = ["simulate", "payout", body.id, "--url", sandbox.url];
    expect((await runMain(simulate)).code).toBe(0);
  });
});

describe("the flags of a created record", { timeout: 60_000 }, () => {
  it("are the members of a payin", async () => {
    await using sandbox = await serveMain();
    const payin = await runMainJson<Shown>(
      [
        [
          "payin",
          "create",
          "--url",
          sandbox.url,
          "--value",
          "1234.56",
          "--description",
          "Pedido 1",
        ],
        ["--buyer-cpf", "52998224725", "--buyer-name", "José", "--buyer-email", "jose@example.com"],
        ["--webhook-url", WEBHOOK_URL, "--expiration", "20", "--generate-qrcode"],
      ].flat(),
    );

    expect(payin).toMatchObject({
      value: 1234.56,
      description: "Pedido 1",
      buyer_cpf: "52998224725",
      buyer_name: "José",
      buyer_email: "jose@example.com",
      webhook_url: WEBHOOK_URL,
      expiration: 20,
      generate_qrcode: true,
    });
  });

  it("are the members of a payout", async () => {
    await using sandbox = await serveMain();
    const payout = await runMainJson<Shown>(
      [
        ["payout", "create", "--url", sandbox.url, "--value", "25", "--description", "Saque"],
        ["--receiver-cpf", "52998224725", "--receiver-name", "José"],
        ["--receiver-email", "jose@example.com", "--webhook-url", WEBHOOK_URL],
        ["--pix-key", "+5511987654321", "--pix-key-type", "phone"],
      ].flat(),
    );

    expect(payout).toMatchObject({
      value: 25,
      description: "Saque",
      receiver_cpf: "52998224725",
      receiver_name: "José",
      receiver_email: "jose@example.com",
      webhook_url: WEBHOOK_URL,
      pix_key: "+5511987654321",
      pix_key_type: "phone",
    });
  });

  it("may all be left out", async () => {
    await using sandbox = await serveMain();
    const { id } = await runMainJson<Shown>(["payin", "create", "--url", sandbox.url]);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await runMain(["payout", "create", "--url", sandbox.url])).code).toBe(0);
  });

  it("repeat an earlier call with its --idempotency-key", async () => {
    await using sandbox = await serveMain();
    const create = ["payin", "create", "--idempotency-key", "order-1", "--url", sandbox.url];
    const first = await runMainJson<Shown>(create);

    expect(await runMainJson<Shown>(create)).toEqual(first);
    expect(
      (await runMainJson<{ data: Shown[] }>(["payin", "list", "--url", sandbox.url])).data,
    ).toEqual([first]);
  });
});

describe("the environment of serve", { timeout: 60_000 }, () => {
  it("sets its port, and the flag goes before it", async () => {
    const port = await freePort();
    const args = ["serve", "--memory", "--json"];
    const taken = await serveMain(["--memory", "--port", String(port)]);
    await using _ = taken;
    // The port that the environment names is taken by now: that is how it shows.
    const env = { PIX_SANDBOX_PORT: String(port) };
    expect((await runMain(args, { env })).code).toBe(7);
    await using other = await serveMain(["--memory", "--port", "0"], { env });
    expect(other.ready.port).not.toBe(port);
  });

  it("sets its state file and its seed", async () => {
    await using folder = await createFolder();
    const env = { PIX_SANDBOX_STATE: folder.at("elsewhere.json"), PIX_SANDBOX_SEED: "42" };
    await using sandbox = await serveMain([], { cwd: folder.path, env });

    expect(sandbox.ready).toMatchObject({ state_file: folder.at("elsewhere.json"), seed: "42" });
  });

  it("writes no state file with --memory, even if the environment names one", async () => {
    await using folder = await createFolder();
    const env = { PIX_SANDBOX_STATE: folder.at("state.json") };
    await using sandbox = await serveMain(["--memory"], { env });
    expect(sandbox.ready.state_file).toBeNull();
  });

  it("is refused if it is wrong, with the variable's name", async () => {
    const env = { PIX_SANDBOX_PORT: "http" };
    const { code, stderr } = await runMain(["serve", "--memory"], { env });

    expect(code).toBe(2);
    expect(stderr).toContain("PIX_SANDBOX_PORT");
  });

  it.each(["", "0", "false"])("writes a state file with PIX_SANDBOX_MEMORY=%j", async (value) => {
    await using folder = await createFolder();
    const env = { PIX_SANDBOX_MEMORY: value };
    await using sandbox = await serveMain([], { cwd: folder.path, env });

    expect(sandbox.ready.state_file).not.toBeNull();
  });

  it("counts as unset if a variable is empty", async () => {
    const env = { PIX_SANDBOX_URL: "", PIX_SANDBOX_TOKEN: "" };
    const { code, stderr } = await runMain(["payin", "list"], { env });

    // It looks at the default address, where nobody or somebody answers.
    expect([0, 3]).toContain(code);
    if (code === 3) expect(stderr).toContain("http://127.0.0.1:7490");
  });
});

describe("the choices of serve", { timeout: 60_000 }, () => {
  it("are changed with --assume, several times", async () => {
    await using sandbox = await serveMain([
      "--memory",
      "--assume",
      "payout.rival=reject",
      "--assume",
      "error.language=pt",
      "--assume",
      "webhook.timeout_seconds=3",
    ]);
    const table = ["assumptions", "--url", sandbox.url];
    const { data } = await runMainJson<{ data: { name: string; choice: unknown }[] }>(table);
    const choices = Object.fromEntries(data.map(({ name, choice }) => [name, choice]));

    expect(choices).toMatchObject({
      "payout.rival": "reject",
      "error.language": "pt",
      "webhook.timeout_seconds": 3,
      "webhook.retries": "laptop",
    });
    const calls = callsTo(sandbox.url);
    await calls.createPayout({ webhook_url: WEBHOOK_URL });
    expect((await calls.createPayout({ webhook_url: WEBHOOK_URL })).status).toBe(422);
  });

  it("are on BR codes with --public-url and --city", async () => {
    const args = ["--memory", "--public-url", "https://pix.example.com", "--city", "Recife"];
    await using sandbox = await serveMain(args);
    const { qr_code } = await runMainJson<Shown>(["payin", "create", "--url", sandbox.url]);

    expect(qr_code).toContain("pix.example.com/");
    expect(qr_code).toMatch(/6006RECIFE/i);
  });

  it("are the hosts that are answered with --allow-host", async () => {
    await using sandbox = await serveMain(["--memory", "--allow-host", "Pix.Example.com"]);
    const statusFor = async (host: string): Promise<number | undefined> => {
      const { get } = await import("node:http");
      return new Promise((resolve, reject) => {
        get(`${sandbox.url}/_sandbox/health`, { headers: { host }, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).once("error", reject);
      });
    };
    expect(await statusFor("pix.example.com")).toBe(200);
    expect(await statusFor("other.example.com")).toBe(403);
  });
});

describe("--cors and --city", { timeout: 60_000 }, () => {
  const serve = ["serve", "--memory", "--port", "0"];

  it.each(["*", "null", "localhost:5173", "http://localhost:5173/app", "https://*.shop.example"])(
    "refuse an origin that is none, by flag, environment and config file: %s",
    async (origin) => {
      await using folder = await createFolder();
      await writeFile(folder.at("config.json"), JSON.stringify({ cors: [origin] }));
      const hint = "Use an origin without a path, such as http://localhost:5173.";
      const inFile = `cors in ${folder.at("config.json")}`;
      for (const [args, env, name] of [
        [["--cors", "http://localhost", "--cors", origin], {}, "--cors"],
        [[], { PIX_SANDBOX_CORS: `http://localhost, ${origin}` }, "--cors"],
        [["--config", folder.at("config.json")], {}, inFile],
      ] as const) {
        const { code, stderr } = await runMain([...serve, ...args], { env });
        expect(code).toBe(2);
        expect(stderr).toBe(`error: Invalid ${name} ${JSON.stringify(origin)}.\n${hint}\n`);
      }
    },
  );

  it("let in an origin however it is written", async () => {
    await using sandbox = await serveMain(["--memory", "--cors", "HTTP://Localhost:80/"]);
    const headers = { origin: "http://localhost" };
    const { status } = await fetch(`${sandbox.url}/_sandbox/health`, { headers });
    expect(status).toBe(200);
  });

  it.each(["東京", "!?", " "])("refuse a city that no BR Code can carry: %j", async (city) => {
    const { code, stderr } = await runMain([...serve, "--city", city]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--city ${JSON.stringify(city)}.`);
  });
});

describe("--host", { timeout: 60_000 }, () => {
  const serve = ["--memory", "--quiet", "--host"];

  it.each(["127.0.0.1", "localhost"])("listens in silence on this machine: %s", async (host) => {
    await using sandbox = await serveMain([...serve, host]);
    expect((await sandbox.stop()).stderr).toBe("");
  });

  it("warns with its addresses if other machines can reach it, in both languages", async () => {
    for (const [lang, where, warning] of [
      [
        "en",
        "Open to the network: ",
        "Warning: anyone who can reach this address can read all data",
      ],
      [
        "pt-BR",
        "Aberto para a rede: ",
        "Aviso: quem acessar este endereço pode ler todos os dados",
      ],
    ] as const) {
      await using sandbox = await serveMain([...serve, "0.0.0.0", "--lang", lang]);
      const [first = "", second] = await sandbox.lines("stderr", 2);
      expect(first.startsWith(where)).toBe(true);
      expect(second).toContain(warning);
      for (const url of first.slice(where.length).split(", "))
        expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200);
    }
  });

  it("does the same for exec", async () => {
    const { code, stderr } = await runCli(["exec", "--host", "0.0.0.0", "--", "true"]);
    expect(code).toBe(0);
    expect(stderr).toContain("Open to the network: http://");
  });
});
