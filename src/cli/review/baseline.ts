import * as z from "zod";
import type { Baseline } from "../../review/gate.ts";
import { VERDICTS } from "../../review/labels.ts";

/** The members of a report that are compared. Its rules can be those of another version. */
const report = z.object({
  rules: z.array(z.object({ id: z.string(), verdict: z.enum(VERDICTS) })),
});

/** The document of `report --json`, or that of `exec --report --json`. */
const document = z.union([report, z.object({ review: report }).transform(({ review }) => review)]);

/** Reads an earlier report. @returns undefined if the text is not one. */
export function parseBaseline(text: string): Baseline | undefined {
  try {
    return document.safeParse(JSON.parse(text.replace(/^\ufeff/, ""))).data;
  } catch {
    return undefined;
  }
}
