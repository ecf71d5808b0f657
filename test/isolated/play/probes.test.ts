import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { headersOf } from "../../../src/play/hand-made-webhook.ts";
import { PROBES } from "../../../src/play/check-webhook/probes.ts";
import { english } from "../../../src/text/languages.ts";

/** A machine so busy that a second passes between any two readings of its clock. */
vi.mock("../../../src/platform/real-time.ts", async (original) => {
  let readings = 0;
  return { ...(await original<object>()), wallNowMs: () => Date.now() + 1000 * readings++ };
});

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const PAID = {
  id: "evt_1",
  type: "payin.paid",
  created_at: "2026-11-21T12:00:00.000Z",
  data: { id: "1", value: 10.5 },
};

describe("the webhooks of the check on a busy machine", () => {
  const valid = PROBES.filter(({ isValid }) => isValid);
  it.each(valid.map(({ make, what }) => [english(what), make]))(
    "%s: the standard's own library accepts it",
    (_, make) => {
      const webhook = make(PAID, SECRET);
      expect(() => new Webhook(SECRET).verify(webhook.body, headersOf(webhook))).not.toThrow();
    },
  );
});
