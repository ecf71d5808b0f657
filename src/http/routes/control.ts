import type { H3Event } from "h3";
import * as z from "zod";
import { type AssumptionChanges, describeAssumptions, readChoice } from "../../core/assumptions.ts";
import { type FieldError, invalidFields, notProcessable } from "../../core/errors.ts";
import type { Page } from "../../core/table.ts";
import { toIso } from "../../core/timestamp.ts";
import { isEventOf, type View } from "../../core/view.ts";
import { toWireDelivery, toWireEvent, toWirePayin, toWirePayout } from "../../core/wire.ts";
import { VERSION } from "../../version.ts";
import { readJson, readOptionalJson } from "../body.ts";
import { createReader, readObject } from "../body-reader.ts";
import type { Context } from "../context.ts";
import { toAnswer } from "../envelope.ts";
import { readToken } from "../headers.ts";
import { unknownRecord } from "../refusals.ts";

type Handler = (event: H3Event) => Promise<Response>;

/** `GET /_sandbox/health`: answered once the sandbox is ready. */
export async function health(): Promise<Response> {
  return toAnswer({ status: "ok", version: VERSION });
}

/** `GET /_sandbox/payins`. */
export function listPayins({ gateway }: Context): Handler {
  return async (event) => {
    const { status, ...request } = readQuery(
      event,
      pageQuery.extend({ status: z.enum(PAYIN_STATUSES).optional() }),
    );
    const page = await gateway.read(readToken(event), (view) => view.payins(request, status));
    return toPage(page, (payin) => toWirePayin(payin, gateway.assumptionsOf(payin.integration)));
  };
}

/** `GET /_sandbox/payins/{id}`. */
export function showPayin({ gateway }: Context): Handler {
  return async (event) => {
    const id = readId(event);
    const payin = await gateway.read(readToken(event), (view) => view.payin(id));
    if (!payin) throw unknownRecord("payin", id);
    return toAnswer(toWirePayin(payin, gateway.assumptionsOf(payin.integration)));
  };
}

/** `POST /_sandbox/payins/{id}/pay`, `/cancel` and `/expire`. */
export function movePayin({ gateway }: Context, move: "pay" | "cancel" | "expire"): Handler {
  return async (event) => {
    const id = readId(event);
    await readOptionalJson(event);
    const payin = await gateway.movePayin(readToken(event), id, move);
    if (!payin) throw unknownRecord("payin", id);
    return toAnswer(toWirePayin(payin, gateway.assumptionsOf(payin.integration)));
  };
}

/** `GET /_sandbox/payouts`. */
export function listPayouts({ gateway }: Context): Handler {
  return async (event) => {
    const { status, ...request } = readQuery(
      event,
      pageQuery.extend({ status: z.enum(PAYOUT_STATUSES).optional() }),
    );
    const page = await gateway.read(readToken(event), (view) => view.payouts(request, status));
    return toPage(page, (payout) =>
      toWirePayout(payout, gateway.assumptionsOf(payout.integration)),
    );
  };
}

/** `GET /_sandbox/payouts/{id}`. */
export function showPayout({ gateway }: Context): Handler {
  return async (event) => {
    const id = readId(event);
    const payout = await gateway.read(readToken(event), (view) => view.payout(id));
    if (!payout) throw unknownRecord("payout", id);
    return toAnswer(toWirePayout(payout, gateway.assumptionsOf(payout.integration)));
  };
}

/** `POST /_sandbox/payouts/{id}/complete` and `/cancel`. */
export function movePayout({ gateway }: Context, status: "completed" | "canceled"): Handler {
  return async (event) => {
    const id = readId(event);
    await readOptionalJson(event);
    const payout = await gateway.movePayout(readToken(event), id, status);
    if (!payout) throw unknownRecord("payout", id);
    return toAnswer(toWirePayout(payout, gateway.assumptionsOf(payout.integration)));
  };
}

/** `GET /_sandbox/deliveries`. */
export function listDeliveries({ gateway }: Context): Handler {
  const query = pageQuery.extend({
    status: z.enum(DELIVERY_STATUSES).optional(),
    type: z.string().optional(),
    transaction_id: z.string().optional(),
  });
  return async (event) => {
    const { status, type, transaction_id: transactionId, ...request } = readQuery(event, query);
    const page = await gateway.read(readToken(event), (view) =>
      view.deliveries(request, { status, type, transactionId }),
    );
    return toPage(page, toWireDelivery);
  };
}

/** `GET /_sandbox/deliveries/{id}`. */
export function showDelivery({ gateway }: Context): Handler {
  return async (event) => {
    const id = readId(event);
    const delivery = await gateway.read(readToken(event), (view) => view.delivery(id));
    if (!delivery) throw unknownRecord("delivery", id);
    return toAnswer(toWireDelivery(delivery));
  };
}

/** `GET /_sandbox/assumptions`. */
export function listAssumptions({ gateway }: Context): Handler {
  return async (event) =>
    toAnswer({ data: describeAssumptions(gateway.assumptionsOf(readToken(event))), next: null });
}

/** `PATCH /_sandbox/assumptions`: changes those of one integration, or everyone's. */
export function changeAssumptions({ gateway }: Context): Handler {
  return async (event) => {
    const { changes, fields } = readChanges(await readJson(event));
    if (fields.length > 0) throw invalidFields(fields);
    const held = await gateway.changeAssumptions(readToken(event), changes);
    return toAnswer({ data: describeAssumptions(held), next: null });
  };
}

/** `GET /_sandbox/integrations`. */
export function listIntegrations({ gateway }: Context): Handler {
  return async (event) => {
    const tokens = await gateway.read(readToken(event), (view: View) => view.integrations());
    return toAnswer({ data: tokens.map((integration) => ({ integration })), next: null });
  };
}

/** `GET /_sandbox/secret`. */
export function showSecret({ secret }: Context): Handler {
  return async () => toAnswer({ secret });
}

/** `GET /_sandbox/clock`. */
export function showClock({ clock }: Context): Handler {
  return async () => toAnswer({ now: toIso(clock.nowMs()), mode: clock.mode, happened: [] });
}

/** `POST /_sandbox/clock/advance`: answers when all that fell due has happened. */
export function advanceClock(context: Context): Handler {
  return async (event) => {
    const reading = readAdvance(await readJson(event));
    if ("fields" in reading) throw invalidFields(reading.fields);
    if (reading.draft < 0) throw notProcessable(NO_WAY_BACK, "seconds");
    const { clock, timekeeper, gateway } = context;
    const token = readToken(event);
    const happened = await timekeeper.advanceBy(reading.draft * 1000);
    return toAnswer({
      now: toIso(clock.nowMs()),
      mode: clock.mode,
      happened: happened
        .filter((one) => isEventOf(one.event, token))
        .map(({ atMs, event: what }) => {
          const { kind, data } = toWireEvent(what, (integration) =>
            gateway.assumptionsOf(integration),
          );
          return { at: toIso(atMs), kind, data };
        }),
    });
  };
}

const PAYIN_STATUSES = ["waiting", "paid", "completed", "canceled", "expired"] as const;
const PAYOUT_STATUSES = ["waiting", "completed", "canceled"] as const;
const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;

const pageQuery = z.object({
  limit: z
    .string()
    .regex(/^(?:[1-9]\d{0,2}|1000)$/)
    .transform(Number)
    .default(100),
  after: z.string().optional(),
});

/** A year is longer than any expiry and any ladder of retries. */
const readAdvance = createReader(
  z.object({
    seconds: z.number().max(366 * 86_400),
  }),
  {
    seconds: {
      en: "seconds must be a number, at most 31622400.",
      pt: "seconds deve ser um número, no máximo 31622400.",
    },
  },
  ({ seconds }) => seconds,
);

function readId(event: H3Event): string {
  return decodeURIComponent(event.context.params?.["id"] ?? "");
}

function readQuery<Schema extends z.ZodObject>(event: H3Event, schema: Schema): z.output<Schema> {
  const result = schema.safeParse(Object.fromEntries(event.url.searchParams));
  if (result.success) return result.data;
  const names = [...new Set(result.error.issues.map(({ path }) => String(path[0])))];
  throw invalidFields(
    names.map((field) => ({
      field,
      code: "INVALID_VALUE",
      message: QUERY_RULES[field] ?? wrong(field),
    })),
  );
}

const QUERY_RULES: Readonly<Record<string, { en: string; pt: string }>> = {
  limit: {
    en: "limit must be an integer from 1 to 1000.",
    pt: "limit deve ser um número inteiro de 1 a 1000.",
  },
  status: {
    en: "status must be a status of these records.",
    pt: "status deve ser um status destes registros.",
  },
};

function wrong(field: string) {
  return { en: `${field} is not valid.`, pt: `${field} não é válido.` };
}

function toPage<Row>(page: Page<Row> | undefined, toWire: (row: Row) => unknown): Response {
  if (!page)
    throw invalidFields([{ field: "after", code: "INVALID_VALUE", message: UNKNOWN_PLACE }]);
  return toAnswer({ data: page.rows.map(toWire), next: page.next });
}

const UNKNOWN_PLACE = {
  en: "after must be the `next` of an earlier page.",
  pt: "after deve ser o `next` de uma página anterior.",
};

const NO_WAY_BACK = {
  en: "The sandbox's time does not go back; start a new sandbox instead.",
  pt: "O tempo do sandbox não volta; inicie um novo sandbox.",
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
