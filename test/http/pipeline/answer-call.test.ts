import { BUYER } from "../../support/calls.ts";
import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../../src/core/assumptions/table.ts";
import type { Call } from "../../../src/http/calls/call.ts";
import type { Context } from "../../../src/http/context/context.ts";
import { readerOf } from "../../../src/http/parse/readers.ts";
import { answerCall, type Operation } from "../../../src/http/pipeline/answer-call.ts";
import { Reviewer } from "../../../src/review/reviewer.ts";
import { RateLimit } from "../../../src/http/context/rate-limit.ts";
import { createGateway } from "../../support/core.ts";

const PAYIN = { ...BUYER, webhook_url: "http://127.0.0.1:9/hook" };

/** A call as plain values: the pipeline needs no server. */
function callOf(headers: Record<string, string> = {}, body: object = PAYIN): Call {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    method: "POST",
    address: "127.0.0.1",
    url: new URL("http://sandbox/v1/payins"),
    headers: {
      "x-api-token": "shop",
      "x-provider-id": "42",
      "x-provider": "Loja da Maria",
      "x-country-code": "BR",
      "x-idempotency-key": "order-1",
      ...headers,
    },
    rawHeaders: [],
    parameters: {},
    hasBody: true,
    body: bytes,
    text: bytes.toString(),
    readBody: async () => bytes,
    onDisconnect: () => undefined,
  };
}

/** The pipeline over a gateway without anything real, and the steps that its operation took. */
function pipelineOf(assumptions: Partial<Assumptions> = {}) {
  const { gateway } = createGateway({ assumptions });
  const steps: string[] = [];
  const reported: unknown[] = [];
  let earlier: string | undefined;
  const context = {
    gateway,
    rateLimit: new RateLimit(() => 0),
    isOwnControlRoute: () => false,
    reviewer: new Reviewer({ nowMs: () => 0, realMs: () => 0 }),
    credentials: new Map(),
    explain: false,
    magic: false,
    closing: new AbortController().signal,
    report: (error: unknown) => reported.push(error),
  } as unknown as Context;
  const operation: Operation<unknown, string> = {
    readerOf: (choices) => readerOf("payin", choices),
    isKeyed: true,
    faults: "payins.create",
    findRepeat: () => {
      steps.push("find repeat");
      return earlier === undefined ? undefined : Promise.resolve(earlier);
    },
    decide: async (_call, _gateway, fault) => {
      steps.push(`decide${fault?.effect ? ` with ${fault.effect.kind}` : ""}`);
      return "new";
    },
    respond: (result) => ({
      status: 200,
      headers: {},
      body: result,
      outcome: { isRepeat: result !== "new" },
    }),
  };
  return {
    gateway,
    steps,
    reported,
    operation,
    repeat: (result: string) => (earlier = result),
    answer: (call = callOf(), changes: Partial<Operation<unknown, string>> = {}) =>
      answerCall(call, { ...operation, ...changes }, context),
  };
}

describe("the pipeline of a gateway call", () => {
  it("looks for a repeat, then decides, and answers a plain value", async () => {
    const { answer, steps } = pipelineOf();
    expect(await answer()).toEqual({
      status: 200,
      headers: {},
      body: "new",
      outcome: { operation: "payins.create", isRepeat: false, isLost: false },
    });
    expect(steps).toEqual(["find repeat", "decide"]);
  });

  it("answers a repeat without a decision", async () => {
    const { answer, steps, repeat } = pipelineOf();
    repeat("first answer");
    expect(await answer()).toMatchObject({
      body: "first answer",
      outcome: { operation: "payins.create", isRepeat: true },
    });
    expect(steps).toEqual(["find repeat"]);
  });

  it("looks for a repeat again after a fault made the call wait", async () => {
    const { answer, steps, repeat } = pipelineOf();
    const waiting = answer(callOf({ "x-sandbox-fault": "latency_ms=1" }));
    repeat("answer of the other call");
    expect(await waiting).toMatchObject({ body: "answer of the other call" });
    expect(steps).toEqual(["find repeat", "find repeat"]);
  });

  it("marks an answer that a fault loses", async () => {
    const { answer, steps } = pipelineOf();
    const call = callOf({ "x-sandbox-fault": "lost_answer" });
    expect(await answer(call)).toMatchObject({ outcome: { isLost: true }, body: "new" });
    expect(steps).toEqual(["find repeat", "decide with lost_answer"]);
  });

  it("stops at the stage that refuses", async () => {
    const { answer, steps } = pipelineOf({ credentials: "listed" });
    const wrong = await answer(callOf({ "x-country-code": "" }, { ...PAYIN, value: "1" }));
    expect(wrong.status).toBe(400);
    const { errors } = JSON.parse(wrong.body as string) as { errors: { field: string }[] };
    expect(errors.map(({ field }) => field)).toEqual(["x-country-code", "value"]);
    expect((await answer()).status).toBe(401);
    expect(steps).toEqual([]);
  });

  it.each([
    ["/v1/payins", "message"],
    ["/v2/payins", "detail"],
  ])("says beside the refusal of %s why it refused", async (path, member) => {
    const { answer } = pipelineOf();
    const call = { ...callOf({}, { ...PAYIN, value: "1" }), url: new URL(`http://sandbox${path}`) };
    const { body, outcome } = await answer(call);
    const {
      code,
      errors,
      [member]: message,
    } = JSON.parse(body as string) as Record<string, unknown>;
    expect(outcome).toEqual({
      operation: "payins.create",
      isLost: false,
      refusal: { code, errors, message },
    });
  });

  it("reports an unexpected error and answers 500 without its details", async () => {
    const { answer, reported } = pipelineOf();
    const failure = new Error("a secret");
    const answered = await answer(callOf(), { decide: () => Promise.reject(failure) });
    expect([answered.status, reported]).toEqual([500, [failure]]);
    expect(answered.body).not.toContain("secret");
  });

  it("lets the next held call go if one fails", async () => {
    const { answer, gateway } = pipelineOf();
    const fault = await gateway.faults.create("shop", {
      on: "payins.create",
      effect: { kind: "hold" },
    });
    const decide = (): never => {
      throw new Error("not a promise");
    };
    const failing = answer(callOf({ "x-idempotency-key": "a" }), { decide });
    const next = answer(callOf({ "x-idempotency-key": "b" }));
    expect(gateway.faults.heldKeys(fault.id)).toEqual(["a", "b"]);
    await gateway.faults.release("shop", fault.id, []);
    expect([(await failing).status, (await next).status]).toEqual([500, 200]);
  });
});
