import { describe, expect, it } from "vitest";
import {
  type AssumptionName,
  ASSUMPTION_NAMES,
  type Assumption,
  ASSUMPTIONS,
  STANDARD_ASSUMPTIONS,
} from "../../src/core/assumptions/table.ts";
import { type Answer, type Json, startWorld } from "./world.ts";
import { CALL_PROOFS } from "./call-proofs.ts";
import { TRANSACTION_PROOFS } from "./transaction-proofs.ts";
import { WEBHOOK_PROOFS } from "./webhook-proofs.ts";

/** What `<seconds>` and the like stand for in each row that takes a number. */
const NUMBERS: Readonly<Record<string, number>> = {
  "idempotency.retention_seconds": 7,
  "webhook.timeout_seconds": 1,
  "payout.auto": 30,
  "rate_limit.per_minute": 3,
};

/** What shows that a choice is in effect, for each choice of each row. */
export const PROOFS = { ...TRANSACTION_PROOFS, ...CALL_PROOFS, ...WEBHOOK_PROOFS };

/** Every row of the table with each of its choices, as a test's title names it and as a sandbox takes it. */
export const CASES = ASSUMPTION_NAMES.flatMap((name) =>
  Object.keys((ASSUMPTIONS[name] as Assumption).choices).map((choice) => ({
    name,
    title: `${name}=${choice}`,
    choice: filled(name, choice),
  })),
);

/** A choice as a sandbox takes it, a number in the place of `<seconds>` and the like. */
export function filled(name: AssumptionName, choice: string): string | number {
  const text = choice.replace(/<.*>/, String(NUMBERS[name]));
  return typeof STANDARD_ASSUMPTIONS[name] === "number" ? Number(text) : text;
}

/** @param every 1 takes all choices, 4 each fourth */
export function describeChanges(every: number): void {
  const cases = CASES.filter((_, index) => index % every === 0);

  describe("a choice that an integration makes while the sandbox runs", () => {
    it.each(cases)(
      "is in effect, whatever everyone's is: $title",
      async ({ name, title, choice }) => {
        await using world = await startWorld({});
        const other = otherThan(name, choice);
        if (other !== undefined) await world.everyone("PATCH", "/assumptions", { [name]: other });

        const changed = await world.control("PATCH", "/assumptions", { [name]: choice });
        expect(choiceIn(changed, name)).toBe(choice);
        expect(choiceIn(await world.control("GET", "/assumptions"), name)).toBe(choice);
        await PROOFS[title]?.(world);
        expect(choiceIn(await world.everyone("GET", "/assumptions"), name)).toBe(
          other ?? STANDARD_ASSUMPTIONS[name],
        );
      },
    );
  });

  describe("the proof of a choice", () => {
    const told = cases.filter(
      ({ name, choice }) => typeof choice === "string" && otherThan(name, choice) !== undefined,
    );

    it.each(told)("fails with another choice: $title", async ({ name, title, choice }) => {
      await using world = await startWorld({ assumptions: { [name]: otherThan(name, choice) } });
      await expect(PROOFS[title]?.(world)).rejects.toBeInstanceOf(Error);
    });
  });
}

export function choicesOf(name: AssumptionName): readonly string[] {
  return Object.keys((ASSUMPTIONS[name] as Assumption).choices);
}

/** Each row's name and the choice that holds. */
export function rowsOf(body: Json): unknown {
  return (body["data"] as Json[]).map((row) => [row["name"], row["choice"]]);
}

export function choiceIn({ body }: Answer, name: AssumptionName): unknown {
  return (body["data"] as Json[] | undefined)?.find((row) => row["name"] === name)?.["choice"];
}

/** A choice of the row that is not this one; undefined where there is none. */
export function otherThan(
  name: AssumptionName,
  choice: string | number,
): string | number | undefined {
  if (typeof choice === "number") return choice + 1000;
  return Object.keys((ASSUMPTIONS[name] as Assumption).choices)
    .map((each) => filled(name, each))
    .find((each) => each !== choice);
}
