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

/** Whether a call failed because of the sandbox, and not because of a mistake of this program. */
export function isFailedCall(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && "code" in error;
}

/** For a call that ends or removes something: it may have ended already, or a reset may have removed it. */
export function ignoreFailedCall(error: unknown): void {
  if (!isFailedCall(error)) throw error;
}
