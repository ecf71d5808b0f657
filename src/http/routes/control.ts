import * as z from "zod";
import {
  type AssumptionChanges,
  describeAssumptions,
  readChoice,
} from "../../core/assumptions/table.ts";
import type { Environment } from "../../core/environment.ts";
import { type FieldError, invalidFields } from "../../core/errors.ts";
import type { View } from "../../core/state/view.ts";
import { toWirePayin } from "../../core/payments/payin.ts";
import { toWirePayout } from "../../core/payments/payout.ts";
import { readJson, readOptionalJson } from "../body.ts";
import { readObject } from "../body-reader.ts";
import { type Call, readId } from "../call.ts";
import type { Context } from "../context.ts";
import { type Answer, toAnswer, toListAnswer } from "../answer.ts";
import { readToken } from "../token.ts";
import { pageQuery, readQuery, toPage } from "../query.ts";
import { unknownRecord } from "../refusals.ts";

type Handler = (call: Call) => Promise<Answer>;

export const payinsQuery = pageQuery.extend({
  status: z.enum(["waiting", "paid", "completed", "canceled", "expired"]).optional(),
});
export const payoutsQuery = pageQuery.extend({
  status: z.enum(["waiting", "completed", "canceled"]).optional(),
});

/** `GET /_sandbox/payins`. */
export function listPayins({ gateway }: Context): Handler {
  return async (call) => {
    const { status, ...request } = readQuery(call, payinsQuery);
    const page = await gateway.read(readToken(call), (view) => view.payins(request, status));
    return toPage(page, (payin) => toWirePayin(payin, gateway.assumptionsOf(payin.integration)));
  };
}

/** `GET /_sandbox/payins/{id}`. */
export function showPayin({ gateway }: Context): Handler {
  return async (call) => {
    const id = readId(call);
    const payin = await gateway.read(readToken(call), (view) => view.payin(id));
    if (!payin) throw unknownRecord("payin", id);
    return toAnswer(toWirePayin(payin, gateway.assumptionsOf(payin.integration)));
  };
}

/** `POST /_sandbox/payins/{id}/pay`, `/cancel` and `/expire`. */
export function movePayin({ gateway }: Context, move: "pay" | "cancel" | "expire"): Handler {
  return async (call) => {
    const id = readId(call);
    await readOptionalJson(call);
    const payin = await gateway.movePayin(readToken(call), id, move);
    if (!payin) throw unknownRecord("payin", id);
    return toAnswer(toWirePayin(payin, gateway.assumptionsOf(payin.integration)));
  };
}

/** `GET /_sandbox/payouts`. */
export function listPayouts({ gateway }: Context): Handler {
  return async (call) => {
    const { status, ...request } = readQuery(call, payoutsQuery);
    const page = await gateway.read(readToken(call), (view) => view.payouts(request, status));
    return toPage(page, (payout) =>
      toWirePayout(payout, gateway.assumptionsOf(payout.integration)),
    );
  };
}

/** `GET /_sandbox/payouts/{id}`. */
export function showPayout({ gateway }: Context): Handler {
  return async (call) => {
    const id = readId(call);
    const payout = await gateway.read(readToken(call), (view) => view.payout(id));
    if (!payout) throw unknownRecord("payout", id);
    return toAnswer(toWirePayout(payout, gateway.assumptionsOf(payout.integration)));
  };
}

/** `POST /_sandbox/payouts/{id}/complete` and `/cancel`. */
export function movePayout({ gateway }: Context, status: "completed" | "canceled"): Handler {
  return async (call) => {
    const id = readId(call);
    await readOptionalJson(call);
    const payout = await gateway.movePayout(readToken(call), id, status);
    if (!payout) throw unknownRecord("payout", id);
    return toAnswer(toWirePayout(payout, gateway.assumptionsOf(payout.integration)));
  };
}

/** `GET /_sandbox/assumptions`. */
export function listAssumptions({ gateway }: Context): Handler {
  return async (call) =>
    toAnswer({ data: describeAssumptions(gateway.assumptionsOf(readToken(call))), next: null });
}

/** `PATCH /_sandbox/assumptions`: changes those of one integration, or everyone's. */
export function changeAssumptions({ gateway, credentials }: Context): Handler {
  return async (call) => {
    const { changes, fields } = readChanges(await readJson(call));
    if (changes.credentials === "listed" && credentials.size === 0)
      throw invalidFields([{ field: "credentials", code: "INVALID_VALUE", message: NONE_LISTED }]);
    if (fields.length > 0) throw invalidFields(fields);
    const held = await gateway.changeAssumptions(readToken(call), changes);
    return toAnswer({ data: describeAssumptions(held), next: null });
  };
}

/** `GET /_sandbox/integrations`. */
export function listIntegrations({ gateway }: Context): Handler {
  return async (call) => {
    const tokens = await gateway.read(readToken(call), (view: View) => view.integrations());
    return toListAnswer({ data: tokens, next: null }, (integration) => ({ integration }));
  };
}

/** `GET /_sandbox/secret`. */
export function showSecret({ secretOf, seed }: Context): Handler {
  return async (call) => toAnswer({ secret: secretOf(readToken(call)), seed });
}

/** `GET /_sandbox/env`: what points a program at the sandbox, under the address that this call came to. */
export function showEnvironment({ gateway, credentials, secretOf }: Context): Handler {
  return async (call) => {
    const token = readToken(call);
    const [listed] =
      gateway.assumptionsOf(token).credentials === "listed" ? credentials.keys() : [];
    const { origin } = call.url;
    return toAnswer({
      PIX_SANDBOX_URL: origin,
      PIX_SANDBOX_BASE_URL: `${origin}/v1`,
      PIX_SANDBOX_SECRET: secretOf(token ?? listed ?? null),
      PIX_SANDBOX_TOKEN: token ?? listed ?? ANYONE,
    } satisfies Environment);
  };
}

/** The token of who needs none in particular. */
const ANYONE = "sandbox";

const NONE_LISTED = {
  en: "No credentials are listed; start the sandbox with a config file that has credentials.",
  pt: "Nenhuma credencial está listada; inicie o sandbox com um arquivo de configuração que tenha credentials.",
};

function readChanges(body: unknown): { changes: AssumptionChanges; fields: readonly FieldError[] } {
  const changes: Record<string, string | number> = {};
  const fields: FieldError[] = [];
  for (const [name, value] of Object.entries(readObject(body))) {
    const read = readChoice(name, value);
    if ("choice" in read) changes[name] = read.choice;
    else
      fields.push({
        field: name,
        code: "INVALID_VALUE",
        message: { en: read.refusal, pt: read.refusal },
      });
  }
  return { changes, fields };
}
