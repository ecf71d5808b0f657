import * as z from "zod";
import { toJson } from "./exchange.ts";
import { callSchema, messageSchema } from "./recording.ts";
import type { Observed } from "./runner.ts";

const byName = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

const exchangeSchema = callSchema.extend({ tookMs: z.number().exactOptional() });

const placeSchema = z.object({
  baseUrl: z.string(),
  exchanges: byName(z.array(exchangeSchema)),
  webhooks: byName(z.array(messageSchema.extend({ heldMs: z.number().exactOptional() }))),
  attempts: byName(z.string()),
  lost: z.array(z.string()),
  finished: z.array(z.string()),
  sending: z.string().exactOptional(),
  isProduction: z.boolean().exactOptional(),
  resumedMs: z.number().exactOptional(),
  calls: z.int(),
  limited: exchangeSchema.exactOptional(),
});

/** Reads what an interrupted run has stored; undefined for another text. */
export function readPlace(text: string): Observed | undefined {
  return placeSchema.safeParse(toJson(text)).data;
}
