import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import type { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { magicIn } from "../../core/faults/magic.ts";
import type { Created } from "../../core/operations/gateway.ts";
import { toWireValue } from "../../core/records/checks.ts";
import type { Payin } from "../../core/records/payin.ts";
import {
  CREATE_PAYIN,
  CREATE_PAYIN_V2,
  SIMULATE_PAYIN,
  type WireRoute,
} from "../../core/state/wire-routes.ts";
import type { Eventually } from "../../core/state/ports.ts";
import { defineGatewayRoute, simulated, toCreated, toSimulated } from "./gateway-route.ts";
import type { DraftOf } from "../parse/readers.ts";
import { created, createdPayinExample, payinRequestExample } from "../schemas/created-payin.ts";

const createdPayin = z
  .object({
    ...created,
    qr_code: z.string().meta({ description: "The BR Code, the copy-and-paste text." }),
    qr_code_base64: z.string().exactOptional().meta({
      description: "The QR code as a PNG, if `generate_qrcode` is true.",
    }),
  })
  .meta({
    id: "CreatedPayin",
    description: "The response to the creation of a payin.",
    examples: [createdPayinExample],
  });

const createPayin = (at: WireRoute, id: string, summary: string) =>
  defineGatewayRoute<DraftOf<"payin">, Created<Payin>, typeof createdPayin>({
    at,
    id,
    summary,
    body: "payin",
    bodyId: "PayinRequest",
    examples: payinExamples,
    isKeyed: true,
    faults: "payins.create",
    answer: createdPayin,
    findMagic: ({ buyerCpf }) => magicIn(buyerCpf),
    findRepeat: (call, gateway) => gateway.findRepeatedPayin(call),
    decide: ({ integration, provider, key, request, draft, trace }, gateway, fault) =>
      gateway.createPayin({
        integration,
        provider,
        key,
        request,
        draft,
        fault,
        trace,
      }),
    respond: async (result, { trace }) => toCreated(await toText(result.record, trace), result),
  });

export const routes = [
  createPayin(CREATE_PAYIN, "createPayin", "Creates a charge."),
  createPayin(
    CREATE_PAYIN_V2,
    "createPayinV2",
    "Creates a charge, as the second version does: its errors are RFC 9457 problems.",
  ),

  defineGatewayRoute<DraftOf<"payinSimulation">, Payin, typeof simulated>({
    at: SIMULATE_PAYIN,
    id: "simulatePayin",
    summary: "Forces a charge to its final status, in staging; its webhook is sent.",
    body: "payinSimulation",
    bodyId: "PayinSimulation",
    examples: () => ({
      "payin-simulation": {
        transaction_id: "7d5d1c9e-3f0a-4b6c-9a53-0c6a9f1f2b10",
        status: "completed",
      },
    }),
    faults: "payins.simulate",
    answer: simulated,
    refusals: ["simulation"],
    decide: ({ integration, draft, trace }, gateway, fault) =>
      gateway.simulatePayin(integration, draft.transactionId, draft.status, fault, trace),
    respond: (_payin, call) => toSimulated(call),
  }),
];

/** Written as text: ids are digits and dashes, so that only the code needs escaping. */
function toText(payin: Payin, trace: AssumptionTrace): Eventually<string> {
  const { id, pixId, acquirerId, qrCode, generateQrcode } = payin;
  const code = JSON.stringify(qrCode);
  const members = `"id":"${id}","pix_id":"${pixId}","acquirer_id":"${acquirerId}","qr_code":${code}`;
  if (!generateQrcode) return `{${members}}`;
  const prefix = trace.read("qr_code_base64.form") === "data_uri" ? "data:image/png;base64," : "";
  return toQrBase64(qrCode).then((image) => `{${members},"qr_code_base64":"${prefix}${image}"}`);
}

/** What draws the image is loaded for the first payin that wants one. */
async function toQrBase64(code: string): Promise<string> {
  const { renderQrPng } = await import("../calls/qr-image.ts");
  return renderQrPng(code).toString("base64");
}

/** The payins of `fixtures/requests`, with amounts in the unit that is in force. */
function payinExamples(assumptions: Assumptions) {
  const value = (cents: number): number => toWireValue(cents, assumptions["value.unit"]);
  return {
    payin: { ...payinRequestExample, value: value(1050) },
    "payin-full": {
      ...payinRequestExample,
      value: value(14_990),
      description: "Pedido 1042: café em grãos ☕",
      generate_qrcode: true,
      expiration: 3600,
    },
  };
}
