import { Command, InvalidArgumentError, Option } from "commander";
import { FAULT_PLACES } from "../../core/faults/effects.ts";
import type { WireFault } from "../../core/wire.ts";
import type { ClientOptions } from "../client.ts";
import { usageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import {
  addDefault,
  clientCommand,
  clientFor,
  collect,
  someText,
  wholeNumber,
  withExamples,
} from "../options.ts";
import { renderFaults, renderRecord } from "../render.ts";
import { type Page, reportMore, toQuery } from "./records.ts";

interface Options extends ClientOptions {
  readonly json?: boolean;
}

interface ListOptions extends Options {
  readonly limit: number;
  readonly after?: string;
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
  const command = addDefault(new Command("faults"), listCommand(io))
    .description("order failures, see how often each was used, and take them away")
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
  const command = clientCommand("list")
    .description("list faults, oldest first, with how often each was used")
    .option("--limit <number>", "at most so many", wholeNumber(1, 1000), 100)
    .option("--after <id>", "only those behind this one")
    .action(async ({ limit, after, json, ...options }: ListOptions) => {
      const page = await clientFor(options).control<Page<WireFault>>(
        "GET",
        `/faults${toQuery({ limit, after })}`,
      );
      if (json) return io.printJson(page);
      io.print(renderFaults(page.data, io.colour));
      return reportMore(io, page);
    });
  return withExamples(command, ["faults list", "faults list --json"]);
}

function addCommand(io: Io): Command {
  const command = clientCommand("add")
    .description("order a failure")
    .argument("<on>", `what it acts on: ${FAULT_PLACES.join(", ")}`)
    .argument(
      "<effect>",
      "on a call: error=CODE, latency_ms=N, lost_answer, hold; on a webhook: duplicate, duplicate_at_once, delay_ms=N, reorder, drop_attempts=N, bad_signature, early",
    )
    .option("--times <number>", "how often it acts (default: for ever)", wholeNumber(1, 1_000_000))
    .option(
      "--match <name=value>",
      "only where the request, or the event's data, has that member; name:=JSON for what is no text (repeatable)",
      collect,
    )
    .addOption(
      new Option(
        "--probability <number>",
        "how likely it is to act, from 0 to 1, drawn from the seed",
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
    "faults add payouts.create hold --match receiver_cpf=52998224725",
    "faults add payins.create latency_ms=3000 --match value:=10.5",
    "faults add webhook duplicate --token my-shop",
  ]);
}

function releaseCommand(io: Io): Command {
  const command = clientCommand("release")
    .description("let the calls go that a fault holds; ends when they are done")
    .argument("<id>", "the fault's id", someText)
    .option(
      "--order <calls>",
      "which go first, with commas between: each by its place of arrival, from 0 on, or by its x-idempotency-key",
    )
    .option(
      "--key <key>",
      "a call that goes first, by its x-idempotency-key, whatever is in it; after those of --order (repeatable)",
      (text: string, before?: readonly string[]) => collect(someText(text), before),
      [],
    )
    .action(async (id: string, { json, order, key, ...options }: ReleaseOptions) => {
      const fault = await clientFor(options).control<WireFault>(
        "POST",
        `/faults/${encodeURIComponent(id)}/release`,
        { order: [...(order?.split(",").map(readPlace) ?? []), ...key] },
      );
      if (json) io.printJson(fault);
      else io.print(t`fault ${fault.id} holds ${fault.held?.length ?? 0} calls`);
    });
  return withExamples(command, [
    `faults release ${SOME_ID}`,
    `faults release ${SOME_ID} --order 1,0`,
    `faults release ${SOME_ID} --key 20260131 --key "order 7, retry"`,
  ]);
}

function removeCommand(io: Io): Command {
  const command = clientCommand("remove")
    .description("take a fault away; the calls that it holds go on")
    .argument("<id>", "the fault's id", someText)
    .action(async (id: string, { json, ...options }: Options) => {
      const path = `/faults/${encodeURIComponent(id)}`;
      const fault = await clientFor(options).control<WireFault>("DELETE", path);
      if (json) io.printJson(fault);
      else io.print(t`fault ${fault.id} is gone; it was used ${fault.used} times`);
    });
  return withExamples(command, [`faults remove ${SOME_ID}`]);
}

function clearCommand(io: Io): Command {
  const command = clientCommand("clear")
    .description("take all faults away; the calls that they hold go on")
    .action(async ({ json, ...options }: Options) => {
      const removed = await clientFor(options).control<Page<WireFault>>("DELETE", "/faults");
      if (json) io.printJson(removed);
      else io.print(t`faults taken away: ${removed.data.length}`);
    });
  return withExamples(command, ["faults clear", "faults clear --token my-shop"]);
}

/** A member as `name=text`, or as `name:=JSON`. */
function readMember(text: string): [name: string, value: unknown] {
  const [, name, colon, value] = /^([^=:]+)(:?)=([^]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageError(t`--match takes name=value, or name:=JSON.`);
  if (colon === "") return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    throw usageError(t`--match ${text}: what stands behind := is no JSON.`);
  }
}

function readPlace(text: string): number | string {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : text.trim();
}

function readProbability(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError(t`It takes a number from 0 to 1.`);
}
