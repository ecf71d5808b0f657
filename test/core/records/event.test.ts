import { describe, expect, it } from "vitest";
import type { Assumptions } from "../../../src/core/assumptions/table.ts";
import {
  type EventSource,
  payinDeliveries,
  payoutDeliveries,
} from "../../../src/core/records/event.ts";
import type { PayinStatus } from "../../../src/core/records/payin.ts";
import type { PayoutOutcome } from "../../../src/core/records/payout.ts";
import type { ConfiguredEvent } from "../../../src/core/records/webhook-configuration.ts";
import { assume, payin, payout, START_MS } from "../../support/core.ts";

const TOKEN = "token-of-the-shop-that-nobody-may-see";
const OWN = "http://127.0.0.1:9999/own";
const CONFIGURED = "http://127.0.0.1:9999/configured";

const CONFIGURATIONS: Readonly<Record<string, readonly ConfiguredEvent[] | undefined>> = {
  "no configured webhook": undefined,
  "payment.received configured": ["payment.received"],
  "payment.failed configured": ["payment.failed"],
  "both configured": ["payment.received", "payment.failed"],
  "both configured, the other way round": ["payment.failed", "payment.received"],
};

/** A final status, the choice it depends on, the event of its own and the configured one. */
const PAYIN_EVENTS: readonly [
  PayinStatus,
  Assumptions["payin.expiry_event"],
  string | null,
  ConfiguredEvent,
][] = [
  ["paid", "none", "payin.paid", "payment.received"],
  ["paid", "webhook", "payin.paid", "payment.received"],
  ["completed", "none", "payin.paid", "payment.received"],
  ["completed", "webhook", "payin.paid", "payment.received"],
  ["canceled", "none", null, "payment.failed"],
  ["canceled", "webhook", null, "payment.failed"],
  ["expired", "none", null, "payment.failed"],
  ["expired", "webhook", "payin.expired", "payment.failed"],
];

const PAYOUT_EVENTS: readonly [PayoutOutcome, string, ConfiguredEvent][] = [
  ["completed", "payout.completed", "payment.received"],
  ["canceled", "payout.canceled", "payment.failed"],
];

describe.each(Object.entries(CONFIGURATIONS))("with %s", (_title, events) => {
  it.each(PAYIN_EVENTS)(
    "a payin that is %s (payin.expiry_event=%s) is told of as %s and %s",
    (status, expiryEvent, own, configured) => {
      const deliveries = payinDeliveries(
        payin({ status, integration: TOKEN, webhookUrl: OWN }),
        source(assume({ "payin.expiry_event": expiryEvent }), events),
      );

      expect(deliveries.map(({ type, url }) => [type, url])).toEqual(
        expected(own, configured, events),
      );
    },
  );

  it.each(PAYOUT_EVENTS)(
    "a payout that is %s is told of as %s and %s",
    (status, own, configured) => {
      const deliveries = payoutDeliveries(
        payout({ status, integration: TOKEN, webhookUrl: OWN }),
        source(assume(), events),
      );

      expect(deliveries.map(({ type, url }) => [type, url])).toEqual(
        expected(own, configured, events),
      );
    },
  );
});

describe("a delivery that reports a transaction", () => {
  const both = CONFIGURATIONS["both configured"];
  const paid = payin({
    status: "paid",
    integration: TOKEN,
    description: "Pedido 42 😀",
    settledAtMs: START_MS + 5000,
    endToEndId: "E12345678202611211200abcdefghijk",
  });
  const made = payout({ status: "completed", integration: TOKEN, settledAtMs: START_MS + 5000 });
  const all = [
    ...payinDeliveries(paid, source(assume(), both)),
    ...payoutDeliveries(made, source(assume(), both)),
  ];

  it("never has the token in its body", () => {
    expect(all).toHaveLength(4);
    for (const { body, integration } of all) {
      expect(integration).toBe(TOKEN);
      expect(body).not.toContain(TOKEN);
      expect(JSON.parse(body).data).not.toHaveProperty("integration");
    }
  });

  it("waits for its first attempt from the moment of the event", () => {
    for (const each of all)
      expect(each).toMatchObject({
        status: "pending",
        attempts: [],
        createdAtMs: START_MS + 5000,
        nextAttemptAtMs: START_MS + 5000,
      });
  });

  it("takes its id from the source", () => {
    expect(all.map(({ id }) => id)).toEqual([
      "evt_payin.paid",
      "evt_payment.received",
      "evt_payout.completed",
      "evt_payment.received",
    ]);
    expect(all.map(({ transactionId }) => transactionId)).toEqual([
      paid.id,
      paid.id,
      made.id,
      made.id,
    ]);
  });

  it("contains a payin's members, in this order", () => {
    const [{ body } = { body: "" }] = all;

    expect(JSON.parse(body)).toEqual({
      id: "evt_payin.paid",
      type: "payin.paid",
      created_at: "2026-11-21T12:00:05.000Z",
      data: {
        id: paid.id,
        status: "paid",
        value: 10.5,
        description: "Pedido 42 😀",
        buyer_cpf: paid.buyerCpf,
        buyer_name: paid.buyerName,
        buyer_email: paid.buyerEmail,
        webhook_url: paid.webhookUrl,
        generate_qrcode: false,
        expiration: 240,
        pix_id: paid.pixId,
        acquirer_id: paid.acquirerId,
        end_to_end_id: paid.endToEndId,
        qr_code: paid.qrCode,
        created_at: "2026-11-21T12:00:00.000Z",
        expires_at: "2026-11-21T12:04:00.000Z",
        settled_at: "2026-11-21T12:00:05.000Z",
      },
    });
    expect(Object.keys(JSON.parse(body))).toEqual(["id", "type", "created_at", "data"]);
  });

  it("contains a payout's members", () => {
    expect(JSON.parse(all[2]?.body ?? "")).toEqual({
      id: "evt_payout.completed",
      type: "payout.completed",
      created_at: "2026-11-21T12:00:05.000Z",
      data: {
        id: made.id,
        status: "completed",
        value: 25,
        receiver_cpf: made.receiverCpf,
        receiver_name: made.receiverName,
        receiver_email: made.receiverEmail,
        webhook_url: made.webhookUrl,
        pix_key: made.pixKey,
        pix_key_type: made.pixKeyType,
        end_to_end_id: null,
        created_at: "2026-11-21T12:00:00.000Z",
        settled_at: "2026-11-21T12:00:05.000Z",
      },
    });
  });

  it.each([
    ["reais", 10.5],
    ["centavos", 1050],
  ] as const)("has its value in %s: %d", (unit, value) => {
    const [one] = payinDeliveries(paid, source(assume({ "value.unit": unit }), undefined));

    expect(JSON.parse(one?.body ?? "").data.value).toBe(value);
  });
});

function source(
  assumptions: Assumptions,
  events: readonly ConfiguredEvent[] | undefined,
): EventSource {
  return {
    assumptions,
    configuration: events && { integration: TOKEN, webhookUrl: CONFIGURED, events },
    eventId: (type) => `evt_${type}`,
    nowMs: START_MS + 5000,
  };
}

/** Type and address of each delivery, in order: the transaction's own first. */
function expected(
  own: string | null,
  configured: ConfiguredEvent,
  events: readonly ConfiguredEvent[] | undefined,
): [string, string][] {
  return [
    ...(own === null ? [] : [[own, OWN] as [string, string]]),
    ...(events?.includes(configured) ? [[configured, CONFIGURED] as [string, string]] : []),
  ];
}
