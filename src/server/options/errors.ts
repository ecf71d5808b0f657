import { append, type LocalizedText } from "../../text/localized-text.ts";

export { FixtureError } from "../../core/records/errors.ts";
export { SandboxClosedError } from "../../http/calls/refusals.ts";
export { StateExistsError, StateFileError, StateInUseError } from "../../store/errors.ts";

/** An option is unknown or has an invalid value. */
export class OptionError extends TypeError {
  readonly text: LocalizedText;

  constructor(text: LocalizedText) {
    super(text.en);
    this.text = text;
  }
}

/** An option's value has the right type, but cannot be used. */
export class UnusableOptionError extends OptionError {
  readonly option: "stateFile" | "controlToken" | "tlsCert" | "tlsKey";
  /** What is wrong, without the option's name: the command line has another one. */
  readonly reason: LocalizedText;

  /** @param remedy what to do, in terms of the other options */
  constructor(
    option: UnusableOptionError["option"],
    reason: LocalizedText,
    remedy: LocalizedText | "" = "",
  ) {
    const start = { en: `The option ${option}: `, pt: `A opção ${option}: ` };
    super(append(append(start, reason), remedy));
    this.option = option;
    this.reason = reason;
  }
}

/** The location of a charge under this public URL does not fit into a BR Code. */
export class PublicUrlError extends RangeError {
  override readonly name = "PublicUrlError";
  readonly text: LocalizedText;

  /** @param location the longest part of the URL that goes into a BR Code */
  constructor(location: string) {
    const text = {
      en: `A BR Code has no room for ${JSON.stringify(location)}. Use a public URL with a shorter host and path.`,
      pt: `Um BR Code não tem espaço para ${JSON.stringify(location)}. Use uma URL pública com host e caminho mais curtos.`,
    };
    super(text.en);
    this.text = text;
  }
}

/** The assumption `credentials` is `listed`, but no credentials are configured. */
export class NoCredentialsError extends RangeError {
  override readonly name = "NoCredentialsError";
  readonly text: LocalizedText;

  constructor() {
    const text = {
      en: 'The assumption "credentials" is "listed", but no credentials are listed.',
      pt: 'A premissa "credentials" é "listed", mas nenhuma credencial está listada.',
    };
    super(text.en);
    this.text = text;
  }
}
