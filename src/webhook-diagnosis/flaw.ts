import { type Message, say, verbatim } from "../text/message.ts";

/** The usual mistakes of programs that receive webhooks. */
export type Mistake =
  | "missing_header"
  | "malformed_header"
  | "empty_body"
  | "body_changed"
  | "wrong_content"
  | "secret_not_decoded"
  | "secret_with_quotes_or_blanks"
  | "wrong_secret"
  | "stale_timestamp"
  | "future_timestamp";

/** Why a webhook is not valid. */
export interface Flaw {
  readonly mistake: Mistake;
  readonly text: Message;
}

/** How many characters of a header are quoted. */
const MAX_QUOTED = 80;

export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

/** An approximate duration: "90 s", "5 min", "3 h", "2 days". */
export function toDuration(seconds: number): Message {
  if (seconds < 120) return verbatim(`${seconds} s`);
  if (seconds < 2 * 3600) return verbatim(`${Math.round(seconds / 60)} min`);
  if (seconds < 2 * 86_400) return verbatim(`${Math.round(seconds / 3600)} h`);
  const days = Math.round(seconds / 86_400);
  return say`${days} days`;
}
