import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { SHOW_SECRET } from "../../core/state/wire-routes.ts";
import { CommandClient } from "../client/command-client.ts";
import { CliError, EXIT, interruptedError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { defineGroup, defineOwnCommand, type Run } from "../definition/define-command.ts";
import { freeText, word } from "../definition/parameters.ts";
import { renderTable, type Table } from "../terminal/table.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { RULE_IDS } from "../../review/rules.ts";
import { createForwarder } from "../webhooks/forwarder.ts";
import { ANYTHING, LOST } from "../../play/scenario/references.ts";
import type { PlayedStep } from "../../play/scenario/play.ts";
import type { Scenario } from "../../play/scenario/scenario.ts";
import { scenarioOf, shippedScenarios } from "../../play/scenario/shipped.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, plural, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

const run = defineOwnCommand("scenario run", {
  summary: say`run a scenario against a running sandbox, as its own integration`,
  arguments: {
    scenario: word("file|name", say`a JSON file of steps, or a name that \`scenario list\` shows`),
  },
  flags: {
    forward_to: freeText(
      "url",
      say`your handler: it gets each webhook and responds to it; steps that show a mistake are skipped`,
    ),
  },
  run: (given, called) => runScenario(given.scenario, given.forward_to, called),
  examples: [
    "scenario run paid",
    "scenario run scenarios/late-payment.json --token my-shop",
    "scenario run lost-answer-and-retry --json",
    "scenario run paid --forward-to http://localhost:3000/pix",
  ],
});

const list = defineOwnCommand("scenario list", {
  summary: say`list the scenarios of the package`,
  isLocal: true,
  async run(_given, { io, json }) {
    const scenarios = await describeShipped();
    if (json) {
      const data = scenarios.map(({ name, about }) => ({ name, about: english(about) }));
      return io.printJson({ data, next: null });
    }
    const isOfRule = ({ name }: Shipped): boolean => RULE_SCENARIOS.has(name);
    const others = scenarios.filter((one) => !isOfRule(one));
    io.print(renderTable(SCENARIOS, others, io));
    io.print("");
    return io.print(renderTable(MISTAKES, scenarios.filter(isOfRule), io));
  },
  examples: ["scenario list", "scenario list --json"],
});

export const scenarioCommand = defineGroup(
  "scenario",
  ["scenario run paid", "scenario list"],
  [run, list],
);

interface Shipped {
  readonly name: string;
  readonly about: Message;
}

export const SCENARIOS: Table<Shipped> = {
  none: say`No scenarios.`,
  columns: [
    { title: say`NAME`, text: ({ name }) => name },
    {
      title: say`SCENARIO`,
      text: ({ about }) => localize(about),
      least: 24,
      wraps: true,
    },
  ],
};

/** The scenarios of the reviewer's rules. */
const MISTAKES: Table<Shipped> = {
  ...SCENARIOS,
  columns: [{ title: say`MISTAKE`, text: ({ name }) => name }, ...SCENARIOS.columns.slice(1)],
};
const RULE_SCENARIOS: ReadonlySet<string> = new Set(RULE_IDS.map(scenarioOf));

async function describeShipped(): Promise<Shipped[]> {
  return Promise.all(
    [...(await shippedScenarios())].map(async ([name, file]) => ({
      name,
      about: (await read(file, name)).about,
    })),
  );
}

async function read(file: string, name: string): Promise<Scenario> {
  const { readScenario } = await import("../../play/scenario/scenario.ts");
  return readScenario(file, name);
}

async function runScenario(
  named: string,
  forwardTo: string | undefined,
  { io, json, connection }: Run,
): Promise<void> {
  const scenario = await read(await find(named, io), named);
  const { play } = await import("../../play/scenario/play.ts");
  // A new integration, so that a scenario can run again on the same sandbox.
  const token = connection.token ?? `scenario-${randomUUID()}`;
  const client = new CommandClient({ ...connection, token });
  const { seed } = await client.call(SHOW_SECRET);
  const handler = forwardTo === undefined ? undefined : await createForwarder(forwardTo);
  const interrupted = new AbortController();
  const stopListening = io.onSignal(() => interrupted.abort());
  const steps: PlayedStep[] = [];
  const onStep = (step: PlayedStep): void => {
    steps.push(step);
    if (!json) io.print(renderStep(step, io));
  };
  try {
    await play(scenario, { client, token, handler, signal: interrupted.signal }, onStep);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw interruptedError(say`The scenario was interrupted.`);
  } finally {
    stopListening();
    handler?.close();
  }
  const last = steps.at(-1);
  if (json) io.printJson(toDocument(named, token, seed, steps));
  if (last?.failure) {
    throw new CliError(
      EXIT.checkFailed,
      "STORY_FAILED",
      renderFailure(named, last),
      say`Sandbox seed: ${toSafeLine(seed)}. Scenario integration: ${toSafeLine(token)}.`,
    );
  }
  if (!json)
    io.print(
      plural(
        steps.length,
        say`${toSafeLine(named)}: the step passed.`,
        say`${toSafeLine(named)}: all ${steps.length} steps passed.`,
      ),
    );
}

/** @throws CliError 5 for an unknown name. */
async function find(named: string, io: Io): Promise<string> {
  const shipped = await shippedScenarios();
  const file = shipped.get(named);
  if (file !== undefined) return file;
  const own = pathIn(io, named);
  if (/[/\\]|\.json$/i.test(named) || existsSync(own)) return own;
  throw new CliError(
    EXIT.notFound,
    "NOT_FOUND",
    say`Unknown scenario ${JSON.stringify(named)}.`,
    say`Use a name from ${PROGRAM} scenario list, or the path of a scenario file.`,
  );
}

function renderStep(
  { number, words, failure, isSkipped, responses = [] }: PlayedStep,
  { color }: Io,
): string {
  const mark = isSkipped ? color.dim("-") : failure ? color.red("✗") : color.green("✓");
  const skipped = isSkipped ? ` (${localize(say`skipped`)})` : "";
  return [
    `${mark} ${number}  ${toSafeLine(localize(words))}${skipped}`,
    ...responses.map(({ type, response, error }) => {
      const none = localize(NO_RESPONSE) + (error === undefined ? "" : `: ${error}`);
      return toSafeLine(`    ${type} → ${response === "nothing" ? none : response}`);
    }),
  ].join("\n");
}

const NO_RESPONSE = say`no response`;

function renderFailure(named: string, { number, words, failure }: PlayedStep): string {
  const { differences = [], notes = [] } = failure ?? {};
  return [
    localize(say`${toSafeLine(named)} failed at step ${number}: ${toSafeLine(localize(words))}`),
    ...differences.map(
      ({ member, expected, found }) =>
        `  ${localize(say`${toSafeLine(member)}: expected ${show(expected)}, found ${show(found)}`)}`,
    ),
    ...notes.map((note) => `  ${toSafeLine(localize(note))}`),
  ].join("\n");
}

function show(value: unknown): string {
  if (value === undefined) return localize(say`nothing`);
  if (value === ANYTHING) return localize(say`any value`);
  const shown = toSafeLine(JSON.stringify(value === english(LOST) ? localize(LOST) : value));
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

const MAX_SHOWN = 300;

function toDocument(
  scenario: string,
  integration: string,
  seed: string,
  steps: readonly PlayedStep[],
) {
  return {
    scenario,
    passed: steps.every(({ failure }) => failure === undefined),
    seed,
    integration,
    steps: steps.map(({ number, words, failure, isSkipped, responses }) => ({
      number,
      step: english(words),
      passed: failure === undefined,
      ...(isSkipped && { skipped: true }),
      ...(responses && { responses }),
      ...(failure && {
        differences: failure.differences.map(({ member, expected, found }) => ({
          member,
          expected,
          found,
        })),
        notes: failure.notes.map((text) => english(text)),
      }),
    })),
  };
}
