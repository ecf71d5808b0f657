import { BUYER, callsTo } from "../../support/calls.ts";
import { control, recordsOf } from "../../support/gateway.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startMerchant } from "../../support/merchant.ts";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";

const PAYIN = { ...BUYER, webhook_url: "http://127.0.0.1:9/hook" };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: "in-process" });
});
afterAll(() => sandbox.close());

function create(token = "shop", headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { ...sandbox.headers(token), ...headers },
    body: JSON.stringify(PAYIN),
  };
}

describe("a call without a socket", () => {
  it("creates what a call over a socket finds, and repeats its answer", async () => {
    const init = create();
    const created = await sandbox.fetch("/v1/payins", init);
    const { id } = (await created.json()) as { id: string };
    const found = await fetch(`${sandbox.url}/_sandbox/payins/${id}`);
    expect(await found.json()).toMatchObject({ id, status: "waiting", integration: "shop" });

    const again = await fetch(`${sandbox.url}/v1/payins`, init);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await again.json()).toMatchObject({ id });
  });

  it("is refused for a host that the sandbox does not accept", async () => {
    expect((await sandbox.fetch("http://evil.test/_sandbox/health")).status).toBe(403);
    const headers = { host: "evil.test" };
    expect((await sandbox.fetch("/_sandbox/health", { headers })).status).toBe(403);
  });

  it("fails as fetch does if a fault loses its response, with the work done", async () => {
    const lost = sandbox.fetch("/v1/payins", create("lost", { "x-sandbox-fault": "lost_answer" }));
    await expect(lost).rejects.toThrow(new TypeError("fetch failed"));
    expect(await recordsOf(sandbox, "lost", "payins")).toMatchObject([{ integration: "lost" }]);
    const fault = { id: null, effect: "lost_answer" };
    expect(await control(sandbox, "lost", "GET /requests")).toMatchObject({
      data: [{ lost: true, fault, code: null }],
    });
  });

  it("that is given up while it is held has done nothing", async () => {
    await control(sandbox, "held", "POST /faults", { on: "payins.create", effect: "hold" });
    const giving = new AbortController();
    const held = sandbox.fetch("/v1/payins", { ...create("held"), signal: giving.signal });
    held.catch(() => undefined);
    const keys = async (): Promise<unknown> => {
      const { data } = await control(sandbox, "held", "GET /faults");
      return (data as { held: unknown }[])[0]?.held;
    };
    await expect.poll(keys).toHaveLength(1);
    giving.abort(new Error("Enough."));
    await expect(held).rejects.toThrow("Enough.");
    expect(await keys()).toEqual([]);
    expect(await recordsOf(sandbox, "held", "payins")).toEqual([]);
  });

  it("is refused once its body is too large, and reads no more of one that never ends", async () => {
    let isCanceled = false;
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
      cancel: () => void (isCanceled = true),
    });
    const init = { ...create(), body, duplex: "half" } as const;
    expect((await sandbox.fetch("/v1/payins", init)).status).toBe(413);
    expect(isCanceled).toBe(true);
  });

  it("whose body breaks off fails as fetch does", async () => {
    const body = new ReadableStream({
      start: (controller) => controller.error(new Error("The body broke off.")),
    });
    const init = { ...create(), body, duplex: "half" } as const;
    await expect(sandbox.fetch("/v1/payins", init)).rejects.toThrow("The body broke off.");
  });
});

describe("a stream without a socket", () => {
  it("streams events until its reader stops", async () => {
    const reading = new AbortController();
    const answer = await sandbox.fetch("/_sandbox/events", { signal: reading.signal });
    const stream = answer.body?.pipeThrough(new TextDecoderStream()) ?? [];
    const read = async (): Promise<string> => {
      let text = "";
      for await (const chunk of stream) {
        text += chunk;
        if (text.includes("event: payin")) reading.abort(new Error("Enough."));
      }
      return text;
    };
    await Promise.all([
      expect(read()).rejects.toThrow("Enough."),
      sandbox.fetch("/v1/payins", create("told")),
    ]);
  });

  it("ends when the sandbox closes, also for a reader that comes later", async () => {
    const closing = await startSandbox();
    const stream = () => closing.fetch("/_sandbox/events");
    const streams = [await stream(), await stream()];
    const early = streams[0]?.text();
    await closing.close();
    expect(await early).toContain("event: connected");
    expect(await streams[1]?.text()).toContain("event: connected");
  });
});

describe("a sandbox that closes", () => {
  it("finishes running calls, and refuses later ones with advice", async () => {
    const closing = await startSandbox();
    const waiting = closing.fetch("/_sandbox/wait?timeout_ms=600000");
    await Promise.all([closing.close(), closing.close()]);
    expect((await waiting).status).toBe(503);
    await expect(closing.fetch("/_sandbox/health")).rejects.toThrow(
      "The sandbox is closed. Start another one with startSandbox().",
    );
  });

  it("does not wait for the answer of a merchant to a resend", async () => {
    await using merchant = await startMerchant();
    const closing = await startSandbox();
    const calls = callsTo(closing.url);
    const { id } = (await calls.createPayin({ webhook_url: merchant.url })).body;
    await calls.control("POST", `/payins/${id}/pay`);
    await merchant.waitFor(1);
    merchant.answerWith("hold");
    const resent = closing.fetch("/_sandbox/deliveries/resend", { method: "POST" });
    await merchant.waitFor(2);

    const closed = closing.close();
    expect((await resent).status).toBe(503);
    await merchant.close();
    await closed;
  });

  it("reports it in the language of its responses", async () => {
    const closing = await startSandbox({ assumptions: { "error.language": "pt" } });
    await closing.close();
    await expect(closing.fetch("/_sandbox/health")).rejects.toThrow(
      "Inicie outro com startSandbox()",
    );
  });
});
