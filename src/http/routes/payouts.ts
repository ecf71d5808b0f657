import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import { magicIn } from "../../core/faults/magic.ts";
import type { Created } from "../../core/operations/gateway.ts";
import { toWireValue, type PixKeyType } from "../../core/records/checks.ts";
import type { Payout } from "../../core/records/payout.ts";
import { CREATE_PAYOUT, SIMULATE_PAYOUT } from "../../core/state/wire-routes.ts";
import { defineGatewayRoute, simulated, toCreated, toSimulated } from "./gateway-route.ts";
import type { DraftOf } from "../parse/readers.ts";
import { uuid } from "../schemas/ids.ts";
import { payoutExample } from "../schemas/payout.ts";
import { WEBHOOK_URL } from "../schemas/samples.ts";

const createdPayout = z.object({ id: uuid, status: z.literal("waiting") }).meta({
  id: "CreatedPayout",
  description:
    "The response to the creation: always `waiting`. If a rival payout cancels it, the webhook reports that.",
  examples: [{ id: payoutExample.id, status: "waiting" }],
});

export const routes = [
  defineGatewayRoute<DraftOf<"payout">, Created<Payout>, typeof createdPayout>({
    at: CREATE_PAYOUT,
    id: "createPayout",
    summary: "Sends money to a receiver.",
    body: "payout",
    bodyId: "PayoutRequest",
    examples: payoutExamples,
    isKeyed: true,
    faults: "payouts.create",
    answer: createdPayout,
    refusals: ["rival"],
    findMagic: ({ receiverCpf, pixKey }) => magicIn(receiverCpf, pixKey),
    findRepeat: (call, gateway) => gateway.findRepeatedPayout(call),
    decide: ({ integration, key, request, draft, trace }, gateway, fault) =>
      gateway.createPayout({ integration, key, request, draft, fault, trace }),
    respond: (result) =>
      toCreated(JSON.stringify({ id: result.record.id, status: "waiting" }), result),
  }),

  defineGatewayRoute<DraftOf<"payoutSimulation">, Payout, typeof simulated>({
    at: SIMULATE_PAYOUT,
    id: "simulatePayout",
    summary: "Forces a payout to a final status, in staging; its webhook is sent.",
    body: "payoutSimulation",
    bodyId: "PayoutSimulation",
    examples: () => ({
      "payout-simulation": {
        transaction_id: "f2b1c7a4-52d8-4e0b-8d1f-6f3f0a9c4e21",
        status: "completed",
      },
    }),
    faults: "payouts.simulate",
    answer: simulated,
    refusals: ["simulation"],
    decide: ({ integration, draft, trace }, gateway, fault) =>
      gateway.simulatePayout(integration, draft.transactionId, draft.status, fault, trace),
    respond: (_payout, call) => toSimulated(call),
  }),
];

/** The payouts of `fixtures/requests`, with amounts in the unit that is in force. */
function payoutExamples(assumptions: Assumptions) {
  const payout = (pix_key_type: PixKeyType, pix_key: string) => ({
    value: toWireValue(2575, assumptions["value.unit"]),
    description: payoutExample.description,
    receiver_cpf: payoutExample.receiver_cpf,
    receiver_name: payoutExample.receiver_name,
    receiver_email: payoutExample.receiver_email,
    webhook_url: WEBHOOK_URL,
    pix_key,
    pix_key_type,
  });
  return {
    "payout-cpf": payout("cpf", "52998224725"),
    "payout-email": payout("email", "joao.pereira@example.com"),
    "payout-evp": payout("evp", "123e4567-e89b-12d3-a456-426655440000"),
    "payout-phone": payout("phone", "+5511987654321"),
  };
}
