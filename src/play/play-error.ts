import { english } from "../text/languages.ts";
import type { Message } from "../text/message.ts";

/** Why a check cannot run: invalid input, or a record that the sandbox does not have. */
export type PlayErrorCode = "USAGE" | "NOT_FOUND" | "ORDER_NOT_FOUND";

/** Ends a check. It is no LocalizedError: those leave one rule without a verdict. */
export class PlayError extends Error {
  override readonly name = "PlayError";
  readonly code: PlayErrorCode;
  readonly text: Message;
  /** What to do next. */
  readonly hint: Message | undefined;

  constructor(code: PlayErrorCode, text: Message, hint?: Message) {
    super(english(text));
    this.code = code;
    this.text = text;
    this.hint = hint;
  }
}
