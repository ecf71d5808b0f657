import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsTo } from "../support/calls.ts";
import { createCertificate } from "../support/certificate.ts";
import { createFolder } from "../support/folder.ts";
import { runMain, runMainJson, serveMain, startMain } from "../support/main.ts";
import { lacks } from "../support/lacks.ts";

const PASSWORD = "correct-horse";
const STATE = `postgres://maria:${PASSWORD}@127.0.0.1:1/shop?sandbox=team&connect_timeout=1`;
const FILE = "pix-sandbox.config.json";

describe("the address of a state", { timeout: 60_000 }, () => {
  it.each([
    ["a database that cannot be opened", STATE],
    ["an unknown parameter", `postgres://maria:${PASSWORD}@db/shop?sandbxo=team`],
    ["an unknown scheme", `postgress://maria:${PASSWORD}@db/shop`],
    ["a password with a slash", `postgres://maria:1/${PASSWORD}@db/shop`],
  ])("is printed without its password: %s", async (_title, state) => {
    for (const more of [[], ["--json"], ["--lang", "pt-BR"], ["--host", "0.0.0.0"]]) {
      const ended = await runMain(["serve", "--port", "0", "--state", state, ...more]);
      expect(ended.code).not.toBe(0);
      expect(ended.stdout + ended.stderr).not.toContain(PASSWORD);
    }
  });

  it("is a usage error if it is wrong, which names the option", async () => {
    await using folder = await createFolder();
    const state = `postgres://maria:${PASSWORD}@db/shop?sandbox=a%20b`;
    const reason = "The address of the state has an unknown or invalid parameter";
    await writeFile(folder.at(FILE), JSON.stringify({ state, port: 0 }));
    const flag = await runMain(["serve", "--state", state, "--port", "0"]);
    expect(flag).toMatchObject({ code: 2, stderr: expect.stringContaining(`--state: ${reason}`) });
    const file = await runMain(["serve"], { cwd: folder.path });
    expect(file.code).toBe(2);
    expect(file.stderr).toContain(`state in ${FILE}: ${reason}`);
  });
});

describe("--tls-cert and --tls-key", { timeout: 60_000 }, () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    folder = await createFolder();
    if (!lacks("openssl")) createCertificate(folder.at("cert.pem"), folder.at("key.pem"));
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it.skipIf(lacks("openssl"))(
    "serve HTTPS with this certificate, from the working directory",
    async () => {
      const cwd = folder.path;
      const ca = await readFile(folder.at("cert.pem"));
      const files = { PIX_SANDBOX_TLS_CERT: "cert.pem", PIX_SANDBOX_TLS_KEY: "key.pem" };
      const config = JSON.stringify({ memory: true, tls_cert: "cert.pem", tls_key: "key.pem" });
      await writeFile(folder.at("tls.json"), config);
      for (const [args, env] of [
        [["--memory", "--tls-cert", "cert.pem", "--tls-key", "key.pem"], {}],
        [["--memory"], files],
        [["--config", "tls.json"], {}],
      ] as const) {
        await using serving = await serveMain(args, { cwd, env });
        expect(serving.url).toMatch(/^https:/);
        const request = https.get(`${serving.url}/_sandbox/health`, { ca, agent: false });
        const [answer] = (await once(request, "response")) as [IncomingMessage];
        answer.resume();
        expect(answer.statusCode).toBe(200);
        const { id } = await runMainJson<{ id: string }>(["payin", "create", "--url", serving.url]);
        expect(id).not.toBe("");
      }
    },
  );

  it("are named when a file cannot be used", async () => {
    const args = ["serve", "--memory", "--port", "0", "--tls-cert", "no.pem", "--tls-key", "k.pem"];
    const { code, stderr } = await runMain(args, { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain(`--tls-cert: ${folder.at("no.pem")} cannot be used: `);
  });
});

describe("secrets", { timeout: 60_000 }, () => {
  const TOKEN = "control-token-of-the-test";
  const API_SECRET = "api-secret-of-the-test";
  const CONFIG = {
    control_token: TOKEN,
    credentials: [{ api_key: "shop", api_secret: API_SECRET, merchant_id: "1" }],
    assumptions: { credentials: "listed" },
    explain: true,
    magic: true,
  };
  /** Its purpose is to show a secret. */
  const SECRET_ROUTES = new Set(["/_sandbox/secret", "/_sandbox/env"]);

  it.each([[["--log", "all"]], [["--json", "--log", "all"]], [["--json"]]])(
    "are not in what serve prints with %j, nor in its ready file",
    async (args) => {
      await using folder = await createFolder();
      await writeFile(folder.at(FILE), JSON.stringify(CONFIG));
      await using serving = startMain(
        ["serve", "--port", "0", "--ready-file", "ready.json", ...args],
        { cwd: folder.path },
      );
      const stream = args.includes("--json") ? "stdout" : "stderr";
      await serving.lines(stream, 1, (line) => /^Ready|"ready"/.test(line));
      const ready = await readFile(folder.at("ready.json"), "utf8");
      const { url } = JSON.parse(ready) as { url: string };
      const printed = await useEverything(url);
      const { stdout, stderr } = await serving.stop();
      for (const text of [ready, stdout, stderr, ...printed]) {
        expect(text).not.toContain(TOKEN);
        expect(text).not.toContain(API_SECRET);
      }
    },
  );

  it("are not in the excerpt of a config file that is not JSON", async () => {
    await using folder = await createFolder();
    for (const text of [`{"control_token": ${TOKEN}}`, `{"state": ${STATE}}`]) {
      await writeFile(folder.at(FILE), text);
      const { code, stderr } = await runMain(["serve"], { cwd: folder.path });
      expect(code).toBe(2);
      expect(stderr).toMatch(/ is not JSON: error in line 1, column \d+\.\n$/);
    }
  });

  /** Calls the gateway, rightly and wrongly, and every control route that needs no parameter. */
  async function useEverything(url: string): Promise<readonly string[]> {
    const headers = { authorization: `Bearer ${TOKEN}` };
    await callsTo(url, "shop").createPayin({ webhook_url: `${url}/_sandbox/sink/order-1` });
    await fetch(`${url}/v1/payins`, { method: "POST", headers, body: "{" });
    const get = async (path: string, init: RequestInit = { headers }): Promise<string> =>
      (await fetch(`${url}${path}`, init)).text();
    const openapi = await get("/_sandbox/openapi.json");
    const { paths } = JSON.parse(openapi) as { paths: Record<string, Record<string, unknown>> };
    const routes = Object.keys(paths).filter(
      (path) => paths[path]?.["get"] && !/[{]|events|wait/.test(path) && !SECRET_ROUTES.has(path),
    );
    expect(routes).toContain("/_sandbox/about");
    const bodies = await Promise.all(routes.map((path) => get(path)));
    const refused = await get("/_sandbox/about", {
      headers: { authorization: `Bearer ${TOKEN}x` },
    });
    const commands = await Promise.all(
      [["requests"], ["report"], ["assumptions"], ["payin", "list", "--json"]].map((args) =>
        runMain([...args, "--url", url], { env: { PIX_SANDBOX_CONTROL_TOKEN: TOKEN } }),
      ),
    );
    return [openapi, ...bodies, refused, ...commands.flatMap((each) => [each.stdout, each.stderr])];
  }
});
