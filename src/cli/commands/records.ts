import { type CommandBuilder, defineCommand, type Run } from "../definition/define-command.ts";
import { localize } from "../terminal/language.ts";
import { idOf } from "../definition/parameters.ts";
import { renderRecord } from "../output/render.ts";
import { showWebhooksOf } from "../webhooks/first-attempt.ts";
import { type Message, say } from "../../text/message.ts";
import { NOUNS, statusWords } from "../../text/terms.ts";

type Noun = "payin" | "payout";

export const SOME_ID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";

type ShowKey = "GET /payins/{id}" | "GET /payouts/{id}";

export function defineShow(noun: Noun, route: ShowKey): CommandBuilder {
  return defineCommand(`${noun} show`, {
    summary: noun === "payin" ? say`show a payin` : say`show a payout`,
    arguments: { id: idOf(noun) },
    route,
    show: renderRecord,
    examples: [`${noun} show last`, `${noun} show ${SOME_ID}`],
  });
}

/** The key of a route that moves a record to a final status. */
export type MoveKey =
  | `POST /payins/{id}/${"pay" | "cancel" | "expire"}`
  | `POST /payouts/{id}/${"complete" | "cancel"}`;

/** Defines a command that moves a waiting record to a final status. */
export function defineMove(
  line: `${Noun} ${string}`,
  route: MoveKey,
  summary: Message,
): CommandBuilder {
  const noun = line.startsWith("payin") ? "payin" : "payout";
  return defineCommand(line, {
    summary,
    arguments: { id: idOf(noun) },
    route,
    show: (record, run) => showMoved(noun, record, run),
    examples: [`${line} last`, `${line} ${SOME_ID}`],
  });
}

export interface MovedRecord {
  readonly id: string;
  readonly status: string;
}

/** Prints a record that was moved, and the webhooks that report it. */
export async function showMoved(noun: Noun, record: MovedRecord, run: Run): Promise<void> {
  run.io.print(describeMoved(noun, record));
  await showWebhooksOf(record.id, run);
}

export function describeMoved(noun: Noun, { id, status }: MovedRecord): string {
  return localize(say`${NOUNS[noun]} ${id} is ${statusWords(noun, status)}`);
}
