import { createHmac } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type LoggedRequest, type Sandbox, startSandbox } from "../../src/index.ts";
import { Page } from "../support/documents.ts";
import { type Ended, freePort, type Program, startProcess } from "../support/process.ts";
import { lacks, type Need } from "../support/lacks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LONG = fileURLToPath(new URL(".", import.meta.url));
const BIN = path.join(ROOT, "bin/pix-sandbox.js");

/** What each example needs beside Node.js. */
const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  express: [],
  fastify: [],
  next: [],
  python: ["pytest"],
  php: ["php"],
  ruby: ["ruby"],
  go: ["go"],
  java: ["java"],
  csharp: ["dotnet"],
};

const PAYOUT = {
  invoice: "2001",
  value: 25,
  receiver_cpf: "52998224725",
  receiver_name: "João Souza",
  receiver_email: "joao@example.com",
  pix_key: "52998224725",
  pix_key_type: "cpf",
};

/** A row of the table in examples/README.md. */
interface Example {
  readonly folder: string;
  readonly first: string;
  readonly test: string;
  readonly start: string;
}

const page = await Page.read("examples/README.md");
const examples = readTable();

describe("examples/README.md", () => {
  it("lists every shop", async () => {
    const entries = await readdir(path.join(ROOT, "examples"), { withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory() && entry.name !== "handlers")
      .map(({ name }) => name);
    expect(examples.map(({ folder }) => folder).toSorted()).toEqual(folders.toSorted());
    expect(Object.keys(NEEDS).toSorted()).toEqual(folders.toSorted());
  });

  it("shows the commands that this file runs", () => {
    expect(page.take("sh", "exec")).toBe(`npx pix-sandbox exec -- ${examples[0]?.test}`);
    expect(page.take("sh", "env")).toContain(`\n${examples[0]?.start}`);
    expect(page.untaken).toEqual([]);
  });

  it("has the same files in the examples of Node.js", async () => {
    for (const name of ["webhook.js", "gateway.js"]) {
      const text = await readExample(`express/${name}`);
      expect(await readExample(`fastify/${name}`)).toBe(text);
      expect(await readExample(`next/lib/${name}`)).toBe(text);
    }
    expect(await readExample("fastify/payments.js")).toBe(await readExample("express/payments.js"));
  });
});

const byFolder = examples.map((example): [string, Example] => [example.folder, example]);
describe.each(byFolder)("examples/%s", { timeout: 300_000 }, (folder, example) => {
  const needs = NEEDS[folder] ?? [];
  let copy: string;

  beforeAll(async () => {
    if (lacks(...needs)) return;
    // Next to the packages of the long tests, where Node.js and Next.js look for them.
    copy = await mkdtemp(path.join(LONG, ".example-"));
    await cp(path.join(ROOT, "examples", folder), copy, { recursive: true });
    // test/long/package.json names the packages of the Node.js examples; the probes find the others.
    const steps = example.first.split(" && ").filter((step) => !/ install\b/.test(step));
    const { code, stdout, stderr } = await shell(steps.join(" && "));
    if (code !== 0) throw new Error(`${example.first} ended with ${code}: ${stdout}${stderr}`);
  }, 300_000);
  afterAll(async () => {
    if (!lacks(...needs)) await rm(copy, { recursive: true, force: true });
  });

  const start = (command: string, args: readonly string[], env = {}): Program =>
    startProcess(command, args, {
      cwd: copy,
      env: {
        PATH: `${path.join(LONG, "node_modules/.bin")}:${process.env["PATH"]}`,
        NEXT_TELEMETRY_DISABLED: "1",
        DOTNET_CLI_TELEMETRY_OPTOUT: "1",
        ...env,
      },
    });
  const shell = async (script: string): Promise<Ended> => {
    await using program = start("sh", ["-c", script]);
    return await program.ended;
  };

  it.skipIf(lacks(...needs))("passes its test through exec", async () => {
    const words = [BIN, "exec", "--", "sh", "-c", example.test];
    await using program = start(process.execPath, words);
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  });

  describe.skipIf(lacks(...needs))("as a server", () => {
    let sandbox: Sandbox;
    let program: Program;
    let url: string;

    beforeAll(async () => {
      sandbox = await startSandbox();
      const port = String(await freePort());
      url = `http://127.0.0.1:${port}`;
      const command = (await withoutNpm(example.start, folder)).replace("3000", port);
      program = start("sh", ["-c", `exec ${command}`], {
        PORT: port,
        SHOP_URL: url,
        PIX_SANDBOX_BASE_URL: sandbox.baseUrl,
        PIX_SANDBOX_SECRET: sandbox.secret,
        PIX_SANDBOX_TOKEN: "shop",
      });
      await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 50 });
    }, 120_000);
    afterAll(async () => {
      await program.stop("SIGTERM");
      await sandbox.close();
    });

    it("accepts any bytes that the signature covers", async () => {
      const id = await createOrder(url);
      const body = `{ "data" : { "note": "Jo\\u00e3o \\/ 1.50", "value": 10.50, "id": "${id}" },\n\t"type": "payin.paid" }\n`;
      expect(await post(url, body, sign(body, sandbox.secret))).toBe(200);
      expect(await historyOf(url, id)).toEqual(["waiting", "paid"]);
    });

    it("accepts one valid signature of several, up to five minutes old", async () => {
      const id = await createOrder(url);
      const body = JSON.stringify({ type: "payin.paid", data: { id, value: 10.5 } });
      const signed = sign(body, sandbox.secret, { age: 290 });
      const several = `v1,b2xk v1a,b2xk ${signed["webhook-signature"]} v2,b2xk`;
      expect(await post(url, body, { ...signed, "webhook-signature": several })).toBe(200);
      expect(await historyOf(url, id)).toEqual(["waiting", "paid"]);
    });

    it("refuses what the signature does not cover, and old and missing signatures", async () => {
      const id = await createOrder(url);
      const body = JSON.stringify({ type: "payin.paid", data: { id, value: 10.5 } });
      const { secret } = sandbox;
      const signed = sign(body, secret);
      const { "webhook-signature": signature, ...unsigned } = signed;
      const forged: [string, Record<string, string>][] = [
        [`${body} `, signed],
        ["", signed],
        [body, { ...signed, "webhook-id": "evt_2" }],
        [body, { ...signed, "webhook-timestamp": String(Number(signed["webhook-timestamp"]) + 1) }],
        [body, { ...signed, "webhook-timestamp": "soon" }],
        [body, sign(body, secret, { age: 310 })],
        [body, sign(body, secret, { age: -310 })],
        [body, sign(body, "whsec_b3RoZXI=")],
        [body, { ...signed, "webhook-signature": signature?.slice(0, -4) ?? "" }],
        [body, { ...signed, "webhook-signature": "v1," }],
        [body, { ...signed, "webhook-signature": "" }],
        [body, unsigned],
        [body, {}],
      ];
      for (const [text, headers] of forged) expect(await post(url, text, headers)).toBe(400);
      expect(await historyOf(url, id)).toEqual(["waiting"]);
    });

    it("applies a webhook once that comes many times at once", async () => {
      const id = await createOrder(url);
      const body = JSON.stringify({ type: "payin.paid", data: { id, value: 10.5 } });
      const signed = sign(body, sandbox.secret);
      const posts = Array.from({ length: 24 }, () => post(url, body, signed));
      expect(new Set(await Promise.all(posts))).toEqual(new Set([200]));
      expect(await historyOf(url, id)).toEqual(["waiting", "paid"]);
    });

    it("gets a webhook again that comes before its payment, and ignores types that it does not know", async () => {
      const early = JSON.stringify({ type: "payin.paid", data: { id: "unknown" } });
      expect(await post(url, early, sign(early, sandbox.secret))).toBe(404);
      const other = JSON.stringify({ type: "payin.disputed", data: { id: "unknown" } });
      expect(await post(url, other, sign(other, sandbox.secret))).toBe(200);
    });

    it("compares the value, and lets a final status stay", async () => {
      const id = await createOrder(url);
      const report = async (type: string, value: number): Promise<unknown> => {
        const body = JSON.stringify({ type, data: { id, value } });
        expect(await post(url, body, sign(body, sandbox.secret))).toBe(200);
        return historyOf(url, id);
      };
      expect(await report("payin.paid", 0.01)).toEqual(["waiting"]);
      expect(await report("payin.paid", 10.5)).toEqual(["waiting", "paid"]);
      expect(await report("payout.canceled", 10.5)).toEqual(["waiting", "paid"]);
    });

    it("creates one charge for an order that is sent twice", async () => {
      const number = crypto.randomUUID();
      expect(await createOrder(url, number)).toBe(await createOrder(url, number));
    });

    it("retries a payout with its key after an error, and a refused one never", async () => {
      const shop = sandbox.integration("shop");
      const before = (await shop.requests.list()).length;
      const callsToGateway = async (): Promise<readonly LoggedRequest[]> =>
        (await shop.requests.list()).slice(before);

      await shop.faults.once("payouts.create", "error=EXTERNAL_ERROR");
      const sent = await send(`${url}/payouts`, PAYOUT);
      expect(sent.status).toBe(201);
      const { id } = (await sent.json()) as { id: string };
      expect((await shop.payouts.list()).map((payout) => payout.id)).toEqual([id]);
      const [first, second, ...more] = await callsToGateway();
      expect([first?.status, second?.status, ...more]).toEqual([502, 200]);
      expect(second?.headers["x-idempotency-key"]).toBe(first?.headers["x-idempotency-key"]);

      // Some servers close the connection after an error.
      const refused = send(`${url}/payouts`, { ...PAYOUT, invoice: "2002", value: -1 });
      expect(await refused.then(({ ok }) => ok).catch(() => false)).toBe(false);
      expect(await callsToGateway()).toHaveLength(3);
    });

    it("sends a canceled payout again, with a new key", async () => {
      const shop = sandbox.integration("shop");
      const before = (await shop.requests.list()).length;
      const payout = { ...PAYOUT, invoice: "2003", receiver_cpf: "12345678909" };
      const create = async (): Promise<string> =>
        ((await (await send(`${url}/payouts`, payout)).json()) as { id: string }).id;
      const first = await create();
      await shop.payouts.cancel(first);
      const calls = await vi.waitFor(async () => {
        const made = (await shop.requests.list()).slice(before);
        expect(made).toHaveLength(2);
        return made;
      });
      const keys = calls.map(({ headers }) => headers["x-idempotency-key"]);
      expect(keys).toEqual(["invoice-2003-1", "invoice-2003-2"]);
      expect(await historyOf(url, first)).toEqual(["waiting", "canceled"]);
      const second = await create();
      expect(second).not.toBe(first);

      await shop.payouts.cancel(second);
      await vi.waitFor(async () => expect(await historyOf(url, second)).toHaveLength(2));
      const third = await create();
      expect([first, second]).not.toContain(third);
      const { rules } = await shop.report();
      const verdicts = new Map(rules.map(({ id, verdict }) => [id, verdict]));
      expect(verdicts.get("canceled_payout_ignored")).toBe("pass");
      const broken = rules.filter(({ verdict }) => verdict === "fail" || verdict === "warning");
      // The tests above create orders that differ only in their number: the shop is not at fault.
      expect(broken.filter(({ id }) => id !== "charge_created_twice")).toEqual([]);
    });
  });
});

function readTable(): Example[] {
  const rows = page.text.matchAll(/^\| \[(\w+)\]\(\1\)(.*)\|$/gm);
  return [...rows].map(([, folder = "", rest = ""]) => {
    const [, , first = "", test = "", start = ""] = rest
      .split(" |")
      .map((cell) => cell.trim().replaceAll("`", ""));
    return { folder, first, test, start };
  });
}

/** The script that `npm start` runs: npm passes no signal on to a shell's child. */
async function withoutNpm(command: string, folder: string): Promise<string> {
  if (command !== "npm start") return command;
  const manifest = JSON.parse(await readExample(`${folder}/package.json`)) as {
    readonly scripts: { readonly start: string };
  };
  return manifest.scripts.start;
}

function readExample(name: string): Promise<string> {
  return readFile(path.join(ROOT, "examples", name), "utf8");
}

function sign(
  body: string,
  secret: string,
  { age = 0 }: { readonly age?: number } = {},
): Record<string, string> {
  const id = `evt_${crypto.randomUUID()}`;
  const timestamp = String(Math.floor(Date.now() / 1000) - age);
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const hmac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${hmac}`,
  };
}

/** @returns the status of the shop's response to a webhook. */
async function post(url: string, body: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}/webhooks/pix`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return response.status;
}

/** @returns the charge's id. */
async function createOrder(url: string, number: string = crypto.randomUUID()): Promise<string> {
  const answer = await send(`${url}/orders`, {
    number,
    value: 10.5,
    buyer_cpf: "12345678909",
    buyer_name: "Maria da Silva",
    buyer_email: "maria@example.com",
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

async function historyOf(url: string, id: string): Promise<unknown> {
  return (await fetch(`${url}/payments/${id}`)).json();
}

function send(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
