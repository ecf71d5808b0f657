import { describe, expect, it } from "vitest";
import { ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { startSandbox } from "../../src/server/start.ts";
import { translate } from "../../src/text/languages.ts";

const { gap, choices } = ASSUMPTIONS["payout.rival"];

interface Row {
  readonly name: string;
  readonly gap: string;
  readonly default: string;
  readonly choice: string;
  readonly choices: Readonly<Record<string, string>>;
}

describe("the texts of the assumptions", () => {
  it.each([
    ["en", undefined],
    ["en", "en"],
    ["en", "xx"],
    ["pt", "pt"],
  ] as const)("are in %s if x-sandbox-language is %s", async (language, requested) => {
    await using sandbox = await startSandbox();
    const headers = requested === undefined ? {} : { "x-sandbox-language": requested };
    const rowOf = async (method: string, body?: string): Promise<Row | undefined> => {
      const answer = await fetch(`${sandbox.url}/_sandbox/assumptions`, {
        method,
        headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body }),
      });
      const { data } = (await answer.json()) as { data: readonly Row[] };
      return data.find(({ name }) => name === "payout.rival");
    };
    const expected = {
      name: "payout.rival",
      gap: translate(gap, language),
      default: "cancel",
      choice: "cancel",
      choices: {
        cancel: translate(choices.cancel, language),
        reject: translate(choices.reject, language),
        allow: translate(choices.allow, language),
      },
    };
    expect(await rowOf("GET")).toEqual(expected);
    expect(await rowOf("PATCH", '{"payout.rival":"reject"}')).toEqual({
      ...expected,
      choice: "reject",
    });
  });
});
