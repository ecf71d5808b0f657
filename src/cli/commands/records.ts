import type { ChalkInstance } from "chalk";
import { type Command, Option } from "commander";
import { type Page, toQuery } from "../../api/wire-client.ts";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import {
  afterOption,
  limitOption,
  clientCommand,
  clientFor,
  someText,
  withExamples,
} from "../options.ts";
import { renderRecord } from "../render.ts";
import type { LocalizedText } from "../../core/localized-text.ts";

type Noun = "payin" | "payout";

const SOME_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";

export function listCommand<Row>(
  io: Io,
  noun: Noun,
  statuses: readonly string[],
  render: (rows: readonly Row[], color: ChalkInstance) => string,
): Command {
  const command = clientCommand("list")
    .description(
      localize({
        en: `list ${noun}s, oldest first`,
        pt: `lista os ${noun}s, do mais antigo ao mais novo`,
      }),
    )
    .addOption(
      new Option(
        "--status <status>",
        localize({ en: "only with this status", pt: "só com este status" }),
      ).choices(statuses),
    )
    .addOption(limitOption())
    .addOption(afterOption())
    .action(async ({ status, limit, after, json, ...options }: ListOptions) => {
      const page = await clientFor(options).control<Page<Row>>(
        "GET",
        `/${noun}s${toQuery({ status, limit, after })}`,
      );
      if (json) return io.printJson(page);
      io.print(render(page.data, io.color));
      return reportMore(io, page);
    });
  return withExamples(command, [`${noun} list`, `${noun} list --status waiting --json`]);
}

export function showCommand(io: Io, noun: Noun): Command {
  const command = clientCommand("show")
    .description(localize({ en: `show a ${noun}`, pt: `mostra um ${noun}` }))
    .argument("<id>", localize({ en: "its id", pt: "o id dele" }), someText)
    .action(async (id: string, { json, ...options }: ClientOptions & { json?: boolean }) => {
      const record = await clientFor(options).control<Record<string, unknown>>(
        "GET",
        `/${noun}s/${encodeURIComponent(id)}`,
      );
      if (json) io.printJson(record);
      else io.print(renderRecord(record));
    });
  return withExamples(command, [`${noun} show ${SOME_ID}`]);
}

/** Creates a command that moves a waiting record to a final status. */
export function moveCommand(io: Io, noun: Noun, move: string, description: LocalizedText): Command {
  const command = clientCommand(move)
    .description(localize(description))
    .argument("<id>", localize({ en: "its id", pt: "o id dele" }), someText)
    .action(async (id: string, { json, ...options }: ClientOptions & { json?: boolean }) => {
      const path = `/${noun}s/${encodeURIComponent(id)}/${move}`;
      const record = await clientFor(options).control<{ id: string; status: string }>("POST", path);
      if (json) io.printJson(record);
      else
        io.print(
          localize({
            en: `${noun} ${record.id} is ${record.status}`,
            pt: `${noun} ${record.id} está ${record.status}`,
          }),
        );
    });
  return withExamples(command, [`${noun} ${move} ${SOME_ID}`]);
}

/** Prints how to read the next page. */
export function reportMore(io: Io, { next }: Page<unknown>): void {
  if (next !== null)
    io.printError(localize({ en: `More: --after ${next}`, pt: `Mais: --after ${next}` }));
}

interface ListOptions extends ClientOptions {
  readonly status?: string;
  readonly limit: number;
  readonly after?: string;
  readonly json?: boolean;
}
