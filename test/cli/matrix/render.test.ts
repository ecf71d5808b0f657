import { Chalk } from "chalk";
import { describe, expect, it } from "vitest";
import { CliError } from "../../../src/cli/terminal/errors.ts";
import type { Io } from "../../../src/cli/terminal/io.ts";
import { alternativesTo, readSelection } from "../../../src/cli/matrix/alternatives.ts";
import { readableLines, renderMatrix, toDocument } from "../../../src/cli/matrix/render.ts";
import type { Run } from "../../../src/cli/matrix/run.ts";
import { ASSUMPTIONS } from "../../../src/core/assumptions/table.ts";
import { LocalizedError } from "../../../src/core/records/errors.ts";
import { say } from "../../../src/text/message.ts";
import { english } from "../../../src/text/languages.ts";

const io = {
  columns: undefined,
  color: new Chalk({ level: 0 }),
  isTerminal: false,
} as unknown as Io;
const captured = (exitCode: number, durationMs: number, output = "") =>
  ({ exitCode, durationMs, output, reached: ["error.status", "webhook.success"] }) as const;
const green: Run = {
  name: "webhook.success",
  choice: "only_200",
  result: captured(0, 1449),
  refusal: undefined,
};
const red: Run = {
  name: "error.status",
  choice: "always_400",
  result: captured(3, 2000, "\u001b[31mone\r\ntwo\u001b[0m\n\n"),
  refusal: undefined,
};
const refused: Run = {
  name: "credentials",
  choice: "listed",
  result: undefined,
  refusal: Object.assign(new CliError(2, "USAGE", "No credentials.", "List some."), {
    cause: new LocalizedError(say.in({ pt: "Sem credenciais." })`No credentials.`),
  }),
};
const baseline = captured(0, 500);
const show = (runs: readonly Run[], isSandboxUsed = true): string =>
  renderMatrix(
    { baseline: isSandboxUsed ? baseline : { ...baseline, reached: [] }, runs },
    ({ name, choice }) => `repeat ${name} ${choice}`,
    io,
  );
const { question, gap } = ASSUMPTIONS["error.status"];

describe("the grid of a matrix", () => {
  it("shows each run, what the integration depends on, and what did not start", () => {
    expect(show([red, green, refused])).toBe(`ASSUMPTION       CHOICE      RESULT       EXIT  TIME
(baseline)                   green        0     0.5 s
error.status     always_400  red          3     2.0 s
webhook.success  only_200    green        0     1.4 s
credentials      listed      not started  -     -

The integration depends on 1 of the 2 open questions that were changed: error.status. Ask the provider before production.

error.status
  Open question: ${english(gap)}
  Ask the provider: ${english(question)}
  error.status=always_400
    | one
    | two
    Repeat: repeat error.status always_400

credentials=listed could not be started: No credentials.
  List some.`);
  });

  it("concludes from what ran", () => {
    const conclusionOf = (runs: readonly Run[], isUsed?: boolean) =>
      show(runs, isUsed).split("\n\n")[1];
    expect(conclusionOf([refused])).toBe("No alternative could be started.");
    expect(conclusionOf([green], false)).toBe(
      "The tests made no gateway call to their sandbox, so the runs show nothing about the open questions.",
    );
    expect(conclusionOf([red], false)).toMatch(/^The integration depends on 1 of the 1 /);
    expect(conclusionOf([green, { ...green, choice: "2xx" }])).toBe(
      "The tests pass with every choice that ran: they depend on none of these open questions (assumptions changed: 1).",
    );
  });

  it("says of which green runs nothing can be concluded", () => {
    const idle: Run = { ...green, result: { ...captured(0, 100), reached: ["error.status"] } };
    const shown = show([red, idle]);
    expect(shown).toContain("webhook.success  only_200    green, not reached  0     0.1 s");
    expect(shown).toContain(
      "The tests did not get to where these apply, so their green runs show nothing: webhook.success.",
    );
    expect(show([green])).not.toContain("not reached");
  });

  it("shows the last ten lines of a failed run, or that there are none", () => {
    const outputOf = (output: string) =>
      show([{ ...red, result: captured(1, 0, output) }])
        .split("\n")
        .filter((line) => line.startsWith("    | "));
    expect(outputOf("")).toEqual(["    | (no output)"]);
    const lines = Array.from({ length: 11 }, (_none, index) => `line ${index}`);
    expect(outputOf(lines.join("\n"))).toEqual(lines.slice(1).map((line) => `    | ${line}`));
  });

  it.each([
    ["vitest", " FAIL  a.test.ts > pays", "AssertionError: expected 422 to be 200"],
    ["node:test", "not ok 1 - pays", "  error: AssertionError [ERR_ASSERTION]"],
    ["pytest", "FAILED a.py::test_pays", "E   assert 422 == 200"],
    ["PHPUnit", "1) PayTest::pays", "Failed asserting that 422 is 200."],
    ["go", "=== RUN TestPays", "--- FAIL: TestPays (0.00s)"],
    ["jest", "Tests", "  ✕ pays (3 ms)"],
  ])("shows what failed in the output of %s, wherever it is", (_runner, before, failure) => {
    const rest = Array.from({ length: 20 }, (_none, index) => `line ${index}`);
    const output = [before, failure, ...rest].join("\n");
    const shown = show([{ ...red, result: captured(1, 0, output) }])
      .split("\n")
      .filter((line) => line.startsWith("    | "));
    expect(shown).toEqual([failure, ...rest.slice(0, 6)].map((line) => `    | ${line}`));
  });

  it("is a document that says the same", () => {
    expect(
      toDocument({ baseline, runs: [red, { ...red, choice: "other" }, green, refused] }),
    ).toEqual({
      baseline: { ok: true, exit_code: 0, duration_ms: 500, output_tail: "" },
      runs: [
        expect.objectContaining({
          name: "error.status",
          choice: "always_400",
          ok: false,
          exit_code: 3,
          duration_ms: 2000,
          error: null,
          question: english(question),
        }),
        expect.objectContaining({ choice: "other", ok: false }),
        expect.objectContaining({
          choice: "only_200",
          ok: true,
          exit_code: 0,
          reached: true,
          error: null,
        }),
        {
          name: "credentials",
          choice: "listed",
          ok: null,
          exit_code: null,
          duration_ms: null,
          output_tail: "",
          reached: null,
          error: "No credentials.",
          question: english(ASSUMPTIONS.credentials.question),
        },
      ],
      depends_on: ["error.status"],
    });
    const plain = { ...refused, refusal: new CliError(7, "PORT_TAKEN", "In use.") };
    expect(toDocument({ baseline, runs: [plain] }).runs).toMatchObject([{ error: "In use." }]);
  });

  it("shows lines without colors, and makes control characters visible", () => {
    expect(readableLines(" \n")).toEqual([]);
    expect(readableLines("a\u001b[1mb\u001b[0m\r\nc\u0007\n\n")).toEqual(["ab", "c\\u0007"]);
  });
});

describe("the alternatives of a matrix", () => {
  const choices = [
    { name: "payout.rival", choice: "cancel" },
    { name: "error.status", choice: "by_code" },
    { name: "payin.v2", choice: "only" },
  ] as const;
  const of = (...texts: string[]) =>
    alternativesTo(choices, readSelection(texts)).map(({ name, choice }) => `${name}=${choice}`);

  it("are all other choices of a selected assumption, or those that are given, in the table's order", () => {
    expect(of("payout.rival")).toEqual(["payout.rival=reject", "payout.rival=allow"]);
    expect(of("payout.rival=allow")).toEqual(["payout.rival=allow"]);
    expect(of("payout.rival=allow", "payout.rival")).toEqual([
      "payout.rival=reject",
      "payout.rival=allow",
    ]);
    expect(of("error.status=always_400", "payout.rival=reject").toSorted()).toEqual([
      "error.status=always_400",
      "payout.rival=reject",
    ]);
  });

  it.each([
    ["payout.rival=cancel", "baseline"],
    ["payin.v2", "no other choice"],
    ["payout.rival=no", "cancel, reject, allow"],
  ])("are refused: %s", (text, reason) => {
    expect(() => of(text)).toThrow(reason);
  });

  it("are refused for an unknown name, with the nearest one", () => {
    expect(() => of("payout.rivals")).toThrow(
      '--assume payout.rivals: Unknown assumption "payout.rivals"',
    );
  });
});
