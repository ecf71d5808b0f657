import * as z from "zod";
import { EVENT_TYPES } from "../../core/records/transaction.ts";

/** Members that several responses have. */
export const uuid = z.uuidv4();
export const eventId = z.string().regex(/^evt_[0-9a-f]{32}$/);
/** A time in ISO 8601. */
export const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: "date-time" });
export const eventType = z.enum(EVENT_TYPES);
export const integration = z.string().describe("The `x-api-token` it belongs to.");
export const clockMode = z.enum(["real", "frozen"]);
export const count = z.int().min(0);
export const headers = z.record(z.string(), z.string());

/** A whole list, in the form of a page. */
export function listOf<Row extends z.ZodType>(row: Row) {
  return z.object({ data: z.array(row), next: z.null() });
}

/** A fault that acted on a request or on an attempt. */
export const actedFault = z
  .object({
    id: z.string().nullable().describe("Null if the request itself asked for it."),
    effect: z.string(),
  })
  .nullable();

/** Values of the document's examples: a sandbox with the seed 42 and a frozen clock made them. */
export const SAMPLES = {
  time: "2026-11-21T12:00:00.000Z",
  payinId: "75a885f0-a8b7-441b-adab-1b5fd683d012",
  eventId: "evt_d54fea834d9782bbcc232f862e1d246c",
  webhookUrl: "http://localhost:3000/webhooks/pix",
};
