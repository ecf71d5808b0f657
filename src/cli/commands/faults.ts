import { type Command, InvalidArgumentError, Option } from "commander";
import { effectForms, FAULT_PLACES } from "../../core/faults/effects.ts";
import { MAX_FAULT_TIMES } from "../../core/faults/fault.ts";
import type { WireFault } from "../../core/state/wire.ts";
import type { ClientOptions } from "../command-client.ts";
import { usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import {
  addDefault,
  clientCommand,
  clientFor,
  collect,
  someText,
  wholeNumber,
  withExamples,
} from "../options.ts";
import { ID, INTEGRATION } from "../columns.ts";
import { type ListOptions, printList, withListOptions } from "../list.ts";
import { renderRecord } from "../render.ts";
import { idHelp, resolveId } from "../resolve-id.ts";
import type { Table } from "../table.ts";
import type { Page } from "../../client/wire-client.ts";
import { arg } from "../placeholders.ts";
import { CliCommand } from "../command.ts";

interface Options extends ClientOptions {
  readonly json?: boolean;
}

interface AddOptions extends Options {
  readonly times?: number;
  readonly probability?: number;
  readonly match?: readonly string[];
}

interface ReleaseOptions extends Options {
  readonly order?: string;
  readonly key: readonly string[];
}

const SOME_ID = "flt_0123456789abcdef0123456789abcdef";

export function faultsCommand(io: Io): Command {
  const command = addDefault(new CliCommand("faults"), listCommand(io))
    .addCommand(addCommand(io))
    .addCommand(releaseCommand(io))
    .addCommand(removeCommand(io))
    .addCommand(clearCommand(io));
  return withExamples(command, [
    "faults add payouts.create error=EXTERNAL_ERROR --times 1",
    "faults add webhook duplicate --match buyer_cpf=12345678909",
    "faults",
    "faults clear",
  ]);
}

function listCommand(io: Io): Command {
  const command = clientCommand("list").description(
    localize({
      en: "list faults, oldest first, with their use",
      pt: "lista as falhas, da mais antiga à mais nova, com o uso",
    }),
  );
  // In the order in which they apply.
  withListOptions(command, 100).action((options: ListOptions) =>
    printList(io, { path: "/faults", kind: "fault", table: FAULTS, isOldestFirst: true }, options),
  );
  return withExamples(command, ["faults list", "faults list --json"]);
}

export const FAULTS: Table<WireFault> = {
  none: { en: "No faults.", pt: "Nenhuma falha." },
  columns: [
    ID,
    { title: { en: "ON", pt: "EM" }, text: ({ on }) => on },
    { title: { en: "EFFECT", pt: "EFEITO" }, text: ({ effect }) => effect },
    { title: { en: "USED", pt: "USADA" }, text: ({ used }) => String(used) },
    {
      title: { en: "LEFT", pt: "RESTAM" },
      text: ({ times }) => String(times ?? localize({ en: "always", pt: "sempre" })),
    },
    {
      title: { en: "HELD", pt: "RETIDAS" },
      text: ({ held }) => (held === undefined ? "-" : String(held.length)),
    },
    {
      title: { en: "MATCH", pt: "SE" },
      text: ({ match }) => (match === undefined ? "-" : JSON.stringify(match)),
      least: 12,
    },
    INTEGRATION,
  ],
};

function addCommand(io: Io): Command {
  const command = clientCommand("add")
    .description(localize({ en: "inject a fault", pt: "injeta uma falha" }))
    .argument(
      arg("on"),
      localize({
        en: `what the fault acts on: ${FAULT_PLACES.join(", ")}`,
        pt: `onde a falha age: ${FAULT_PLACES.join(", ")}`,
      }),
    )
    .argument(
      arg("effect"),
      localize({
        en: `on a call: ${effectForms("call").join(", ")}; on a webhook: ${effectForms("webhook").join(", ")}`,
        pt: `em uma chamada: ${effectForms("call").join(", ")}; em um webhook: ${effectForms("webhook").join(", ")}`,
      }),
    )
    .option(
      `--times ${arg("number")}`,
      localize({
        en: "how often it applies (default: always)",
        pt: "quantas vezes se aplica (padrão: sempre)",
      }),
      wholeNumber(1, MAX_FAULT_TIMES),
    )
    .option(
      `--match ${arg("name=value")}`,
      localize({
        en: "only if the request, or the event's data, has this field; name:=JSON for other values than text; repeatable",
        pt: "só se a requisição, ou os dados do evento, tiverem este campo; nome:=JSON para valores que não são texto; pode se repetir",
      }),
      collect,
    )
    .addOption(
      new Option(
        `--probability ${arg("number")}`,
        localize({
          en: "the chance that it applies, 0 to 1; draws depend on the seed",
          pt: "a chance de se aplicar, de 0 a 1; o sorteio depende da seed",
        }),
      ).argParser(readProbability),
    )
    .action(async (on: string, effect: string, { json, ...options }: AddOptions) => {
      const { times, probability, match } = options;
      const fault = await clientFor(options).control<WireFault>("POST", "/faults", {
        on,
        effect,
        times,
        probability,
        match: match && Object.fromEntries(match.map(readMember)),
      });
      if (json) io.printJson(fault);
      else io.print(renderRecord(fault));
    });
  return withExamples(command, [
    "faults add payouts.create error=EXTERNAL_ERROR --times 1",
    "faults add payouts.create hold --match value=10.50",
    "faults add payins.create latency_ms=3000 --match value:=10.5",
    "faults add webhook duplicate --token my-shop",
  ]);
}

function releaseCommand(io: Io): Command {
  const command = clientCommand("release")
    .description(
      localize({
        en: "release the calls that a fault holds, and wait for their end",
        pt: "libera as chamadas que uma falha retém e espera o fim delas",
      }),
    )
    .argument("<id>", idHelp("fault"), someText)
    .option(
      `--order ${arg("calls")}`,
      localize({
        en: "the calls to run first, separated by commas: arrival numbers, from 0, or x-idempotency-keys",
        pt: "as primeiras chamadas, separadas por vírgula: números de chegada, a partir de 0, ou x-idempotency-keys",
      }),
    )
    .option(
      `--key ${arg("key")}`,
      localize({
        en: "an x-idempotency-key that may contain commas, after those of --order; repeatable",
        pt: "uma x-idempotency-key que pode conter vírgulas, depois das de --order; pode se repetir",
      }),
      (text: string, before?: readonly string[]) => collect(someText(text), before),
      [],
    )
    .action(async (id: string, { json, order, key, ...options }: ReleaseOptions) => {
      const client = clientFor(options);
      const fault = await client.control<WireFault>(
        "POST",
        `/faults/${await resolveId(client, "fault", id)}/release`,
        { order: [...(order?.split(",").map(readPlace) ?? []), ...key] },
      );
      if (json) io.printJson(fault);
      else
        io.print(
          localize({
            en: `fault ${fault.id} holds ${fault.held?.length ?? 0} calls`,
            pt: `chamadas retidas pela falha ${fault.id}: ${fault.held?.length ?? 0}`,
          }),
        );
    });
  return withExamples(command, [
    "faults release last",
    `faults release ${SOME_ID}`,
    "faults release last --order 1,0",
    'faults release last --key 20260131 --key "order 7, retry"',
  ]);
}

function removeCommand(io: Io): Command {
  const command = clientCommand("remove")
    .description(
      localize({
        en: "remove a fault, and release the calls that it holds",
        pt: "remove uma falha e libera as chamadas que ela retém",
      }),
    )
    .argument("<id>", idHelp("fault"), someText)
    .action(async (id: string, { json, ...options }: Options) => {
      const client = clientFor(options);
      const path = `/faults/${await resolveId(client, "fault", id)}`;
      const fault = await client.control<WireFault>("DELETE", path);
      if (json) io.printJson(fault);
      else
        io.print(
          localize({
            en: `fault ${fault.id} removed; uses: ${fault.used}`,
            pt: `falha ${fault.id} removida; usos: ${fault.used}`,
          }),
        );
    });
  return withExamples(command, ["faults remove last", `faults remove ${SOME_ID}`]);
}

function clearCommand(io: Io): Command {
  const command = clientCommand("clear")
    .description(
      localize({
        en: "remove all faults, and release the calls that they hold",
        pt: "remove todas as falhas e libera as chamadas que elas retêm",
      }),
    )
    .action(async ({ json, ...options }: Options) => {
      const removed = await clientFor(options).control<Page<WireFault>>("DELETE", "/faults");
      if (json) io.printJson(removed);
      else
        io.print(
          localize({
            en: `faults removed: ${removed.data.length}`,
            pt: `falhas removidas: ${removed.data.length}`,
          }),
        );
    });
  return withExamples(command, ["faults clear", "faults clear --token my-shop"]);
}

/** Reads a member such as `name=text` or `name:=JSON`. */
function readMember(text: string): [name: string, value: unknown] {
  const [, name, colon, value] = /^([^=:]+)(:?)=([^]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageError(
      localize({
        en: "Invalid --match. Use name=value or name:=JSON.",
        pt: "--match inválido. Use nome=valor ou nome:=JSON.",
      }),
    );
  if (colon === "") return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    throw usageError(
      localize({
        en: `Invalid --match ${text}. Use JSON after :=.`,
        pt: `--match inválido: ${text}. Use JSON depois de :=.`,
      }),
    );
  }
}

function readPlace(text: string): number | string {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : text.trim();
}

function readProbability(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError(
    localize({ en: "Use a number from 0 to 1.", pt: "Use um número de 0 a 1." }),
  );
}
