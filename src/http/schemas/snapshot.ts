import * as z from "zod";
import { SNAPSHOT_NAME } from "../../wire/forms.ts";
import { instant } from "./members.ts";
import { TIME } from "./samples.ts";

export const snapshotExample = {
  name: "paid",
  integration: null,
  taken_at: TIME,
  payins: 1,
  payouts: 1,
  deliveries: 1,
};

export const snapshot = z
  .object({
    name: z.string().regex(new RegExp(SNAPSHOT_NAME)),
    integration: z.string().nullable().meta({
      description:
        "The integration whose records it holds; null: all integrations, with the clock.",
    }),
    taken_at: instant,
    payins: z.int().min(0),
    payouts: z.int().min(0),
    deliveries: z.int().min(0),
  })
  .meta({
    id: "Snapshot",
    description: "A snapshot: how many records it holds, and when it was taken.",
    examples: [snapshotExample],
  });
