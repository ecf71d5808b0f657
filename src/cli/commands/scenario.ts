import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { Command } from "commander";
import type { ClientOptions } from "../client.ts";
import { CliError, EXIT } from "../errors.ts";
import type { Io } from "../io.ts";
import { retell, t, tell } from "../language.ts";
import { clientCommand, clientFor, jsonOption, someText, withExamples } from "../options.ts";
import { renderTable } from "../render.ts";
import { toSafeLine } from "../../core/safe-text.ts";
import { ANYTHING, LOST } from "../scenario/references.ts";
import type { PlayedStep } from "../scenario/play.ts";

type Options = ClientOptions & { readonly json?: boolean };

export function scenarioCommand(io: Io): Command {
  const run = clientCommand("run")
    .description("play a story against a running sandbox, as an integration of its own")
    .argument("<file|name>", "a JSON file of steps, or a name that `scenario list` shows", someText)
    .action((story: string, options: Options) => runStory(story, options, io));
  const list = new Command("list")
    .description("list the stories that the package brings")
    .addOption(jsonOption())
    .action(async ({ json }: Options) => {
      const stories = await describeShipped();
      if (json) io.printJson({ data: stories, next: null });
      else
        io.print(
          renderTable(
            [t`NAME`, t`STORY`],
            stories.map(({ name, about }) => [name, tell(about)]),
            io.colour,
          ),
        );
    });
  const command = new Command("scenario")
    .description("play stories of what production brings, and see where one goes otherwise")
    .addCommand(
      withExamples(run, [
        "scenario run paid",
        "scenario run stories/refund.json --token my-shop",
        "scenario run lost-answer-and-retry --json",
      ]),
    )
    .addCommand(withExamples(list, ["scenario list", "scenario list --json"]));
  return withExamples(command, ["scenario run paid", "scenario list"]);
}

async function describeShipped(): Promise<{ name: string; about: string }[]> {
  const { shippedScenarios } = await import("../scenario/shipped.ts");
  const { readScenario } = await import("../scenario/scenario.ts");
  return Promise.all(
    [...(await shippedScenarios())].map(async ([name, file]) => ({
      name,
      about: (await readScenario(file, name)).about,
    })),
  );
}

async function runStory(named: string, { json, ...options }: Options, io: Io): Promise<void> {
  const story = await (
    await import("../scenario/scenario.ts")
  ).readScenario(await find(named), named);
  const { play } = await import("../scenario/play.ts");
  // Of its own, so that it can be told again on the same sandbox.
  const token = options.token ?? `story-${randomUUID()}`;
  const client = clientFor({ ...options, token });
  const { seed } = await client.control<{ seed: string }>("GET", "/secret");
  const interrupted = new AbortController();
  const stopListening = io.onSignal(() => interrupted.abort());
  const steps: PlayedStep[] = [];
  const onStep = (step: PlayedStep): void => {
    steps.push(step);
    if (!json) io.print(renderStep(step, io));
  };
  try {
    await play(story, { client, token, signal: interrupted.signal }, onStep);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new CliError(EXIT.interrupted, "INTERRUPTED", t`The story was not played to its end.`);
  } finally {
    stopListening();
  }
  const last = steps.at(-1);
  if (json) io.printJson(toDocument(named, token, seed, steps));
  if (last?.failure) {
    throw new CliError(
      EXIT.checkFailed,
      "STORY_FAILED",
      renderFailure(named, last),
      t`The sandbox's seed is ${toSafeLine(seed)}, the story's integration ${toSafeLine(token)}.`,
    );
  }
  if (!json) io.print(t`${toSafeLine(named)}: all ${steps.length} steps went as the story has it.`);
}

/** @throws CliError 5 for a name that no story has. */
async function find(named: string): Promise<string> {
  const { shippedScenarios } = await import("../scenario/shipped.ts");
  const shipped = await shippedScenarios();
  const file = shipped.get(named);
  if (file !== undefined) return file;
  if (/[/\\]|\.json$/i.test(named) || existsSync(named)) return named;
  throw new CliError(
    EXIT.notFound,
    "NOT_FOUND",
    t`There is no story with the name ${JSON.stringify(named)}.`,
    t`There are ${[...shipped.keys()].join(", ")}; a story of your own is named by its file.`,
  );
}

function renderStep({ number, words, failure }: PlayedStep, { colour }: Io): string {
  const mark = failure ? colour.red("✗") : colour.green("✓");
  return `${mark} ${number}  ${toSafeLine(tell(words))}`;
}

/** Which step it was, then each member that was expected and was not so. */
function renderFailure(named: string, { number, words, failure }: PlayedStep): string {
  const { differences = [], notes = [] } = failure ?? {};
  return [
    t`${toSafeLine(named)} failed at step ${number}: ${toSafeLine(tell(words))}`,
    ...differences.map(
      ({ member, expected, found }) =>
        `  ${t`${toSafeLine(member)}: expected ${show(expected)}, found ${show(found)}`}`,
    ),
    ...notes.map((note) => `  ${toSafeLine(retell(note))}`),
  ].join("\n");
}

function show(value: unknown): string {
  if (value === undefined) return t`nothing`;
  if (value === ANYTHING) return t`any value`;
  const text = toSafeLine(JSON.stringify(value === LOST ? tell(LOST) : value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** How much of a value a difference shows. */
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
    steps: steps.map(({ number, words, failure }) => ({
      number,
      step: words,
      passed: failure === undefined,
      ...(failure && {
        differences: failure.differences.map(({ member, expected, found }) => ({
          member,
          expected,
          found,
        })),
        notes: failure.notes,
      }),
    })),
  };
}
