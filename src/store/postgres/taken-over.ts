import { LocalizedError } from "../../core/records/errors.ts";
import { say } from "../../text/message.ts";

/** Another process has taken the journal over. */
export class TakenOverError extends LocalizedError {
  override readonly name = "TakenOverError";

  constructor() {
    super(say`Another process leads now, and this one can store nothing more.`);
  }
}
