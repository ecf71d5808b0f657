import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startServe } from "../../support/cli.ts";
import { BUYER, RECEIVER } from "../../support/calls.ts";
import { type Merchant, startMerchant } from "../../support/merchant.ts";
import { EXPIRE, KINDS, play, SETTLE, type Step, wholeStory } from "../../support/story.ts";

/** What version 0.1.0 answered and sent before its code was rearranged. */
const RECORDING = new URL("recorded/wire.json", import.meta.url);
const DOCUMENT_ROUTE = "GET /_sandbox/openapi.json";
/** Headers that responses have had since. */
const ADDED_HEADERS = ["x-total-count", "x-content-type-options", "cross-origin-resource-policy"];
/** The member of a request in the log that it has had since. */
const ADDED_TO_REQUESTS = "integration";
/** The member of an attempt that it has had since. */
const ADDED_TO_ATTEMPTS = "sandbox_at";
/** A call that version 0.1.0 refused, because its lists had no parameter `order`. */
const NEWEST_FIRST = "GET /_sandbox/payins?limit=2&order=desc&status=canceled";
/** Set it to record the present build in place of version 0.1.0. */
const RECORDS = process.env["PIX_TEST_RECORD"] === "1";

const SERVE = ["--memory", "--seed", "recorded", "--magic", "--explain"];
const FROZEN = ["--clock", "frozen", "--now", "2026-11-21T12:00:00Z"];

describe("a seeded sandbox with a frozen clock", { timeout: 120_000 }, () => {
  it("responds and sends as version 0.1.0 did, byte for byte except for messages", async () => {
    await using merchant = await startMerchant({
      answer: ({ path }) => (path === "/fails" ? 500 : 200),
    });
    await using serving = await startServe([...SERVE, ...FROZEN]);
    const story = recordedStory(merchant);
    const { answers, webhooks } = await play(serving, merchant, story);
    const mask = maskOf(merchant, serving.url);
    const wire = {
      answers: story.map(({ route }, index) => {
        const answer = answers[index];
        const name = typeof route === "string" ? route : null;
        const isLog = name?.startsWith("GET /_sandbox/requests") ?? false;
        if (!answer) return { route: name, head: null, text: null };
        return {
          route: name,
          head: withoutAdded(withoutLength(answer.head)),
          text: hideChoices(
            mask(isLog ? withoutIntegrations(withoutNosniff(answer.text)) : answer.text),
          ),
        };
      }),
      webhooks: Object.fromEntries(
        [...webhooks].map(([path, sent]) => [path, sent.map((one) => mask(JSON.stringify(one)))]),
      ),
    };

    if (RECORDS) writeFileSync(RECORDING, inLines(wire));
    const recorded = JSON.parse(readFileSync(RECORDING, "utf8")) as typeof wire;
    for (const [index, answer] of wire.answers.entries()) {
      if (answer.route === NEWEST_FIRST) {
        const { data } = JSON.parse(answer.text ?? "") as { data: readonly { status: string }[] };
        expect(answer.head?.[0]).toBe("200");
        expect(data.map(({ status }) => status)).toEqual(["canceled", "canceled"]);
        continue;
      }
      expect({ index, ...answer }).toEqual({
        index,
        ...withoutChoiceTexts(recorded.answers[index]),
      });
    }
    expect(wire.answers).toHaveLength(recorded.answers.length);
    expect(wire.webhooks).toEqual(recorded.webhooks);
  });
});

/** The whole story of the replays, each control route and each assumption that a single call shows. */
function recordedStory(merchant: Merchant): readonly Step[] {
  const token = "desk";
  const webhook_url = merchant.at("/desk");
  const payin = { ...BUYER, webhook_url };
  const payout = { ...RECEIVER, webhook_url };
  let count = 0;
  const create = (noun: "payin" | "payout", members: object = {}, key?: string): Step => ({
    route: `POST /v1/${noun}s`,
    token,
    key: key ?? `desk-${count++}`,
    body: { ...(noun === "payin" ? payin : payout), ...members },
  });
  const control = (route: string, body?: Step["body"]): Step => ({
    route,
    token,
    ...(body && { body }),
  });
  const assume = (changes: object): Step => control("PATCH /_sandbox/assumptions", changes);
  const simulate = (noun: string, status: string): Step => ({
    route: `POST /v1/${noun}/simulations`,
    token,
    body: (before) => ({ transaction_id: (JSON.parse(before) as { id: string }).id, status }),
  });
  const under = (changes: object, ...steps: readonly Step[]): readonly Step[] => {
    const defaults = Object.fromEntries(
      Object.keys(changes).map((name) => [name, DEFAULTS[name as keyof typeof DEFAULTS]]),
    );
    return [assume(changes), ...steps, assume(defaults)];
  };
  const kinds = KINDS.map((kind): Step => ({ ...kind, token }));
  const unknown = { transaction_id: "00000000-0000-4000-8000-000000000000", status: "completed" };
  return [
    ...wholeStory(merchant).filter(({ route }) => route !== DOCUMENT_ROUTE),
    control("GET /_sandbox/health"),
    control("GET /_sandbox/integrations"),
    ...under(
      { "error.status": "always_400" },
      create("payin", {}, "same"),
      create("payin", { value: 2 }, "same"),
    ),
    ...under({ "error.language": "pt" }, create("payin", { value: 0, buyer_cpf: "1" })),
    ...under(
      { "header.missing": "unauthorized" },
      { route: "POST /v1/payins", token, body: payin },
    ),
    ...under({ unknown_field: "reject" }, create("payin", { colour: "red" })),
    ...under(
      { "value.unit": "centavos" },
      create("payin", { value: 1050 }),
      create("payin", { value: 10.5 }),
    ),
    ...under({ "cpf.check": "check_digits" }, create("payin", { buyer_cpf: "11111111111" })),
    ...under(
      { "idempotency.repeat": "reject" },
      create("payin", {}, "again"),
      create("payin", {}, "again"),
    ),
    ...under(
      { "idempotency.mismatch": "replay" },
      create("payin", {}, "other"),
      create("payin", { value: 3 }, "other"),
    ),
    ...under({ "qr_code_base64.form": "data_uri" }, create("payin", { generate_qrcode: true })),
    ...under({ "payin.generate_qrcode": "true" }, create("payin")),
    ...under(
      { "payin.simulation_status": "also_canceled" },
      create("payin"),
      simulate("payins", "canceled"),
    ),
    ...under(
      { "simulation.final": "repeat" },
      create("payin"),
      simulate("payins", "completed"),
      SETTLE,
    ),
    ...under({ environment: "production" }, control("POST /v1/payins/simulations", unknown)),
    ...under({ "payout.rival": "reject" }, create("payout"), create("payout")),
    ...under({ "payout.rival": "allow" }, create("payout"), create("payout")),
    ...under({ "payout.recipient": "pix_key" }, create("payout")),
    ...under(
      { "webhook.signature": "none", "payin.expiry_event": "webhook" },
      create("payin", { expiration: 5 }),
      EXPIRE,
    ),
    ...under({ "payin.paid_status": "completed" }, create("payin"), moved("payins", "pay", token)),
    create("payin"),
    moved("payins", "pay", token),
    create("payin"),
    moved("payins", "cancel", token),
    create("payin"),
    moved("payins", "expire", token),
    create("payout", { receiver_cpf: "39053344705" }),
    moved("payouts", "complete", token),
    create("payout", { receiver_cpf: "39053344705" }),
    moved("payouts", "cancel", token),
    SETTLE,
    create("payout", { receiver_cpf: "39053344705", pix_key_type: "evp" }),
    { ...create("payin"), fault: "error=EXTERNAL_ERROR" },
    { ...create("payin"), fault: "latency_ms=1" },
    { ...create("payin"), fault: "error=NOTHING" },
    { ...create("payin"), fault: "early" },
    control("POST /v1/payins/simulations", unknown),
    control("POST /v1/payouts/simulations", unknown),
    control("GET /v1/webhooks"),
    control("PUT /v1/webhooks", { webhook_url, events: ["payment.received", "payment.failed"] }),
    control("GET /v1/webhooks"),
    control("PUT /v1/webhooks", { webhook_url: "ftp://nowhere", events: [] }),
    control("POST /_sandbox/faults", {
      on: "payouts.create",
      effect: "error=EXTERNAL_ERROR",
      times: 1,
      match: { value: 25.75 },
    }),
    control("POST /_sandbox/faults", { on: "nothing", effect: "duplicate" }),
    control("POST /_sandbox/faults", { on: "webhook", effect: "duplicate_at_once", times: 1 }),
    control("POST /_sandbox/faults", { on: "webhook", effect: "delay_ms=500", times: 1 }),
    control("POST /_sandbox/faults", { on: "webhook", effect: "reorder", times: 1 }),
    control("GET /_sandbox/faults"),
    create("payin"),
    moved("payins", "pay", token),
    SETTLE,
    EXPIRE,
    control("DELETE /_sandbox/faults/nothing"),
    control("GET /_sandbox/payins?limit=2"),
    control(NEWEST_FIRST),
    control("GET /_sandbox/payins?limit=0"),
    control("GET /_sandbox/payins?colour=red"),
    control("GET /_sandbox/payouts?status=canceled"),
    control("GET /_sandbox/deliveries?type=payin.paid&limit=3"),
    control("POST /_sandbox/deliveries/nothing/resend"),
    control("GET /_sandbox/wait?type=payin.paid&timeout_ms=0"),
    control("GET /_sandbox/wait?type=payin.nothing&timeout_ms=0"),
    control("POST /_sandbox/clock/set", { now: "2026-11-21T13:00:00Z" }),
    control("POST /_sandbox/clock/set", { now: "2026-11-21T11:00:00Z" }),
    control("POST /_sandbox/clock/freeze"),
    control("POST /_sandbox/clock/advance", { seconds: "many" }),
    control("PUT /_sandbox/snapshots/desk"),
    control("GET /_sandbox/snapshots"),
    control("PATCH /_sandbox/assumptions", { "no.such": "choice" }),
    control("PATCH /_sandbox/assumptions", { "payout.rival": "no such choice" }),
    control("GET /_sandbox/requests?limit=3"),
    control("DELETE /_sandbox/payins"),
    ...kinds,
    control("POST /_sandbox/reset"),
    ...kinds,
    control("POST /_sandbox/snapshots/desk/restore"),
    ...kinds,
    control("DELETE /_sandbox/snapshots/desk"),
    control("DELETE /_sandbox/snapshots/desk"),
    { route: "POST /_sandbox/reset" },
    ...KINDS,
  ];
}

/** JSON with a line for each answer or operation. */
function inLines(value: object): string {
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const text = Array.isArray(member)
      ? `[\n${member.map((one) => JSON.stringify(one)).join(",\n")}\n]`
      : JSON.stringify(member);
    return `${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

/** Moves the record that the answer before it created. */
function moved(noun: string, move: string, token: string): Step {
  return {
    route: (before) =>
      `POST /_sandbox/${noun}/${(JSON.parse(before) as { id: string }).id}/${move}`,
    token,
  };
}

const DEFAULTS = {
  "error.status": "distinct",
  "error.language": "en",
  "header.missing": "validation",
  unknown_field: "ignore",
  "value.unit": "reais",
  "cpf.check": "shape",
  "idempotency.repeat": "replay",
  "idempotency.mismatch": "reject",
  "qr_code_base64.form": "bare",
  "payin.generate_qrcode": "false",
  "payin.simulation_status": "completed_only",
  "simulation.final": "reject",
  environment: "staging",
  "payout.rival": "cancel",
  "payout.recipient": "receiver_cpf",
  "webhook.signature": "standard_webhooks",
  "payin.expiry_event": "none",
  "payin.paid_status": "paid",
};

/** Hides texts for people, addresses of this run and times that are real; also in JSON within JSON. */
function maskOf(merchant: Merchant, url: string): (text: string) => string {
  return (text) =>
    text
      .replaceAll(merchant.at(""), "http://merchant")
      .replaceAll(new URL(url).host, "sandbox")
      .replaceAll(/("(?:message|gap|summary)":)"(?:[^"\\]|\\.)*"/g, '$1"…"')
      .replaceAll(/(\\"message\\":)\\"(?:[^"\\]|\\\\.)*\\"/g, '$1\\"…\\"')
      .replaceAll(/("duration_ms":)[\d.]+/g, "$1 0")
      .replaceAll(new RegExp(`\\\\*"${ADDED_TO_ATTEMPTS}\\\\*":\\\\*"[\\w:.-]*\\\\*",`, "g"), "");
}

/** The recording of version 0.1.0 has the texts of an assumption's choices, which may change. */
function withoutChoiceTexts<Answer extends { readonly text: string | null }>(
  answer: Answer | undefined,
): Answer | undefined {
  return answer?.text ? { ...answer, text: hideChoices(answer.text) } : answer;
}

/** A page of requests without the member that each has had since. */
function withoutIntegrations(text: string): string {
  const { data, next } = JSON.parse(text) as { data: readonly Json[]; next: unknown };
  const before = data.map(({ [ADDED_TO_REQUESTS]: integration, ...rest }) => {
    expect(integration).toBe("desk");
    return rest;
  });
  return JSON.stringify({ data: before, next });
}

function hideChoices(text: string): string {
  return text.replaceAll(/"choices":\{[^}]*\}/g, (all) =>
    all.replaceAll(/":"(?:[^"\\]|\\.)*"/g, '":"…"'),
  );
}

/** A length follows from the texts that are hidden. */
function withoutLength(head: readonly string[]): readonly string[] {
  const at = head.findIndex((name) => name.toLowerCase() === "content-length");
  return at < 0 ? head : head.toSpliced(at, 2);
}

/** The same header among those of a logged response. */
function withoutNosniff(text: string): string {
  return text.replaceAll('"x-content-type-options":"nosniff",', "");
}

function withoutAdded(head: readonly string[]): readonly string[] {
  const at = head.findIndex((name) => ADDED_HEADERS.includes(name));
  return at < 0 ? head : withoutAdded(head.toSpliced(at, 2));
}

type Json = Readonly<Record<string, unknown>>;
