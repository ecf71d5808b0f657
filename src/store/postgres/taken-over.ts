import { LocalizedError } from "../../core/records/errors.ts";

/** Another process has taken the journal over. */
export class TakenOverError extends LocalizedError {
  override readonly name = "TakenOverError";

  constructor() {
    super({
      en: "Another process leads now, and this one can store nothing more.",
      pt: "Outro processo lidera agora, e este não pode gravar mais nada.",
    });
  }
}
