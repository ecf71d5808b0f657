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
import { toSafeLine } from "../../text/safe-text.ts";
import { RULE_IDS } from "../../review/rules.ts";
import { createForwarder } from "../webhooks/forwarder.ts";
import { ANYTHING, LOST } from "../scenario/references.ts";
import type { PlayedStep } from "../scenario/play.ts";
import { scenarioOf, shippedScenarios } from "../scenario/shipped.ts";
import type { LocalizedText } from "../../text/localized-text.ts";
import { PROGRAM } from "../../platform/program.ts";

const run = defineOwnCommand("scenario run", {
  summary: {
    en: "run a scenario against a running sandbox, as its own integration",
    pt: "executa um cenário em um sandbox que está rodando, como uma integração própria",
  },
  arguments: {
    scenario: word("file|name", {
      en: "a JSON file of steps, or a name that `scenario list` shows",
      pt: "um arquivo JSON de passos, ou um nome que `scenario list` mostra",
    }),
  },
  flags: {
    forward_to: freeText("url", {
      en: "your handler: it gets each webhook and responds to it; steps that show a mistake are skipped",
      pt: "o seu handler: recebe cada webhook e responde a ele; passos que mostram um erro são pulados",
    }),
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
  summary: { en: "list the scenarios of the package", pt: "lista os cenários do pacote" },
  isLocal: true,
  async run(_given, { io, json }) {
    const scenarios = await describeShipped();
    if (json) {
      const data = scenarios.map(({ name, about }) => ({ name, about: about.en }));
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
  readonly about: LocalizedText;
}

export const SCENARIOS: Table<Shipped> = {
  none: { en: "No scenarios.", pt: "Nenhum cenário." },
  columns: [
    { title: { en: "NAME", pt: "NOME" }, text: ({ name }) => name },
    {
      title: { en: "SCENARIO", pt: "CENÁRIO" },
      text: ({ about }) => localize(about),
      least: 24,
      wraps: true,
    },
  ],
};

/** The scenarios of the reviewer's rules. */
const MISTAKES: Table<Shipped> = {
  ...SCENARIOS,
  columns: [
    { title: { en: "MISTAKE", pt: "ERRO" }, text: ({ name }) => name },
    ...SCENARIOS.columns.slice(1),
  ],
};
const RULE_SCENARIOS: ReadonlySet<string> = new Set(RULE_IDS.map(scenarioOf));

async function describeShipped(): Promise<Shipped[]> {
  const { readScenario } = await import("../scenario/scenario.ts");
  return Promise.all(
    [...(await shippedScenarios())].map(async ([name, file]) => ({
      name,
      about: (await readScenario(file, name)).about,
    })),
  );
}

async function runScenario(
  named: string,
  forwardTo: string | undefined,
  { io, json, connection }: Run,
): Promise<void> {
  const scenario = await (
    await import("../scenario/scenario.ts")
  ).readScenario(await find(named, io), named);
  const { play } = await import("../scenario/play.ts");
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
    throw interruptedError({
      en: "The scenario was interrupted.",
      pt: "O cenário foi interrompido.",
    });
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
      localize({
        en: `Sandbox seed: ${toSafeLine(seed)}. Scenario integration: ${toSafeLine(token)}.`,
        pt: `Seed do sandbox: ${toSafeLine(seed)}. Integração do cenário: ${toSafeLine(token)}.`,
      }),
    );
  }
  if (!json)
    io.print(
      localize({
        en: `${toSafeLine(named)}: all ${steps.length} steps passed.`,
        pt: `${toSafeLine(named)}: todos os ${steps.length} passos passaram.`,
      }),
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
    localize({
      en: `Unknown scenario ${JSON.stringify(named)}.`,
      pt: `Cenário desconhecido: ${JSON.stringify(named)}.`,
    }),
    localize({
      en: `Use a name from ${PROGRAM} scenario list, or the path of a scenario file.`,
      pt: `Use um nome de ${PROGRAM} scenario list, ou o caminho de um arquivo de cenário.`,
    }),
  );
}

function renderStep(
  { number, words, failure, isSkipped, responses = [] }: PlayedStep,
  { color }: Io,
): string {
  const mark = isSkipped ? color.dim("-") : failure ? color.red("✗") : color.green("✓");
  const skipped = isSkipped ? ` (${localize({ en: "skipped", pt: "pulado" })})` : "";
  return [
    `${mark} ${number}  ${toSafeLine(localize(words))}${skipped}`,
    ...responses.map(({ type, response, error }) => {
      const none = localize(NO_RESPONSE) + (error === undefined ? "" : `: ${error}`);
      return toSafeLine(`    ${type} → ${response === "nothing" ? none : response}`);
    }),
  ].join("\n");
}

const NO_RESPONSE = { en: "no response", pt: "nenhuma resposta" };

/** Renders the step and its differences. */
function renderFailure(named: string, { number, words, failure }: PlayedStep): string {
  const { differences = [], notes = [] } = failure ?? {};
  return [
    localize({
      en: `${toSafeLine(named)} failed at step ${number}: ${toSafeLine(localize(words))}`,
      pt: `${toSafeLine(named)} falhou no passo ${number}: ${toSafeLine(localize(words))}`,
    }),
    ...differences.map(
      ({ member, expected, found }) =>
        `  ${localize({ en: `${toSafeLine(member)}: expected ${show(expected)}, found ${show(found)}`, pt: `${toSafeLine(member)}: esperado ${show(expected)}, encontrado ${show(found)}` })}`,
    ),
    ...notes.map((note) => `  ${toSafeLine(localize(note))}`),
  ].join("\n");
}

function show(value: unknown): string {
  if (value === undefined) return localize({ en: "nothing", pt: "nada" });
  if (value === ANYTHING) return localize({ en: "any value", pt: "qualquer valor" });
  const shown = toSafeLine(JSON.stringify(value === LOST.en ? localize(LOST) : value));
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

/** The longest value that is shown in a difference. */
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
      step: words.en,
      passed: failure === undefined,
      ...(isSkipped && { skipped: true }),
      ...(responses && { responses }),
      ...(failure && {
        differences: failure.differences.map(({ member, expected, found }) => ({
          member,
          expected,
          found,
        })),
        notes: failure.notes.map(({ en }) => en),
      }),
    })),
  };
}
