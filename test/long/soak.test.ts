import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import type { Ready } from "../support/serving.ts";
import { createFolder } from "../support/folder.ts";
import { startMerchant } from "../support/merchant.ts";

const PROBE = new URL("heap-probe.js", import.meta.url).href;

const IS_SHORT = process.env["PIX_TEST_LONG"] === "short";
const LOAD_MINUTES = IS_SHORT ? 0.25 : 10;
/** A short load weighs less than what the engine has compiled by then: it shows gross leaks alone. */
const MAX_RATIO = IS_SHORT ? 1.25 : 1.1;
const CLIENTS = 8;
/** The part of the load that is stored; the rest repeats keys, reads, waits and follows. */
const STORED_PAYINS = 2_000;
/** As many as the ring of events keeps, and more than the log: both processes hold full ones, of the same requests. */
const LOGGED_REQUESTS = 10_000;
const WARM_UP_MS = IS_SHORT ? 5_000 : 60_000;

it(
  "after mixed load the heap is that of a fresh process on the same state",
  async () => {
    await using folder = await createFolder();
    await using merchant = await startMerchant();
    const args = ["--state", folder.at("state.json")];

    const loaded = await startProbed(args);
    const count = await applyLoad(loaded.url, merchant.url, LOAD_MINUTES * 60_000);
    const after = await measureAtRest(loaded, merchant.url);
    await loaded.stop();

    const fresh = await startProbed(args);
    const before = await measureAtRest(fresh, merchant.url);
    await fresh.stop();

    process.stderr.write(
      `soak: ${LOAD_MINUTES} min, ${JSON.stringify(count)}; heap ${inMegabytes(after)} MB, a fresh process ${inMegabytes(before)} MB, ratio ${(after / before).toFixed(3)}\n`,
    );
    for (const done of Object.values(count)) expect(done).toBeGreaterThan(CLIENTS);
    expect(after / before).toBeLessThan(MAX_RATIO);
  },
  (LOAD_MINUTES + 5) * 60_000,
);

interface Probed {
  readonly url: string;
  heapBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts `serve` with the probe loaded. */
async function startProbed(args: readonly string[]): Promise<Probed> {
  const child = fork(BIN, ["serve", "--json", "--port", "0", ...args], {
    execArgv: ["--expose-gc", "--import", PROBE],
    silent: true,
  });
  const [line] = (await once(child.stdout!.setEncoding("utf8"), "data")) as [string];
  child.stdout?.resume();
  child.stderr?.resume();
  const { url } = JSON.parse(line) as Ready;
  return {
    url,
    async heapBytes() {
      child.send("measure");
      const [bytes] = (await once(child, "message")) as [number];
      return bytes;
    },
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGINT");
      await exited;
    },
  };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });

interface Sent {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

async function send(
  url: string,
  route: string,
  body?: object,
  headers: http.OutgoingHttpHeaders = {},
): Promise<Sent> {
  const [method, path] = route.split(" ");
  const request = http.request(`${url}${path}`, {
    method,
    agent,
    headers: { ...IDENTIFIED, "content-type": "application/json", ...headers },
  });
  request.end(body && JSON.stringify(body));
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
  return { status: response.statusCode ?? 0, json: JSON.parse(text) as Record<string, unknown> };
}

const IDENTIFIED = {
  "x-api-token": "soak",
  "x-provider-id": "1",
  "x-provider": "Soak",
  "x-country-code": "BR",
};

function payinBody(webhookUrl: string): object {
  return {
    value: 10.5,
    buyer_cpf: "12345678909",
    buyer_name: "Maria da Silva",
    buyer_email: "maria@example.com",
    webhook_url: webhookUrl,
    expiration: 172_800,
  };
}

/** What one client does, again and again; each returns when it is done. */
function activities(url: string, webhookUrl: string) {
  let stored = 0;
  return {
    async lifeOfAPayin(client: number) {
      // Past the limit only repeats of used keys, so that the state stops growing and leaks show.
      const key = `${client}-${stored++ % STORED_PAYINS}`;
      const { json } = await send(url, "POST /v1/payins", payinBody(webhookUrl), {
        "x-idempotency-key": key,
      });
      const simulation = { transaction_id: json["id"], status: "completed" };
      await send(url, "POST /v1/payins/simulations", simulation);
    },
    async tailThatLeaves() {
      const request = http.get(`${url}/_sandbox/events`, { agent: false });
      request.on("error", () => undefined);
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      await send(url, "PATCH /_sandbox/assumptions", { "payout.rival": "allow" });
      await send(url, "PATCH /_sandbox/assumptions", { "payout.rival": "cancel" });
      response.destroy();
      request.destroy();
    },
    async waitThatIsGivenUp() {
      const route = `${url}/_sandbox/wait?type=payout.canceled&timeout_ms=60000`;
      const request = http.get(route, { agent: false, headers: { expect: "100-continue" } });
      request.on("error", () => undefined);
      await once(request, "continue");
      request.destroy();
    },
    async waitThatSucceeds() {
      await send(url, "GET /_sandbox/wait?type=payin.paid&timeout_ms=5000");
    },
    async waitThatTimesOut() {
      await send(url, "GET /_sandbox/wait?type=payin.expired&timeout_ms=5");
    },
    async lists() {
      await send(url, "GET /_sandbox/payins?limit=50");
      await send(url, "GET /_sandbox/deliveries?limit=50&status=delivered");
      await send(url, "GET /_sandbox/requests?limit=50");
    },
    async refusals() {
      await send(url, "POST /v1/payins", { value: "ten" }, { "x-idempotency-key": "refused" });
      await send(url, "POST /v1/payouts", {});
      await send(url, "GET /_sandbox/unknown");
    },
    async resets(client: number) {
      const own = { "x-api-token": `scratch-${client}` };
      const key = { "x-idempotency-key": "scratch" };
      await send(url, "POST /v1/payins", payinBody(webhookUrl), { ...own, ...key });
      await send(url, "POST /_sandbox/faults", FAULT, own);
      await send(url, "PUT /_sandbox/snapshots/soak", undefined, own);
      await send(url, "POST /_sandbox/snapshots/soak/restore", undefined, own);
      await send(url, "POST /_sandbox/reset", undefined, own);
    },
  };
}

const FAULT = { on: "payouts.create", effect: "error=EXTERNAL_ERROR", times: 1 };

/** @returns how often each activity was completed */
async function applyLoad(
  url: string,
  webhookUrl: string,
  durationMs: number,
): Promise<Record<string, number>> {
  const all = Object.entries(activities(url, webhookUrl));
  const count = Object.fromEntries(all.map(([name]) => [name, 0]));
  const endsAt = Date.now() + durationMs;
  const client = async (_: unknown, number: number): Promise<void> => {
    for (let turn = number; Date.now() < endsAt; turn++) {
      const [name = "", act] = all[turn % all.length] ?? [];
      await act?.(number);
      count[name] = (count[name] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return count;
}

/**
 * The heap once nothing is in flight and the request log is full of the same. A short load runs first, in both
 * processes: compiled code and the buffers of eight clients belong to any sandbox that was used.
 */
async function measureAtRest(sandbox: Probed, webhookUrl: string): Promise<number> {
  await applyLoad(sandbox.url, webhookUrl, WARM_UP_MS);
  await send(sandbox.url, "POST /_sandbox/settle");
  for (let index = 0; index < LOGGED_REQUESTS; index++) await send(sandbox.url, "GET /v1/webhooks");
  agent.destroy();
  return sandbox.heapBytes();
}

function inMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
