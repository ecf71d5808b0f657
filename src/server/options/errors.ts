import { joined, type Message, say } from "../../text/message.ts";
import { english } from "../../text/languages.ts";

export { FixtureError } from "../../core/records/errors.ts";
export { SandboxClosedError } from "../../http/calls/refusals.ts";
export { StateExistsError, StateFileError, StateInUseError } from "../../store/errors.ts";

/** An option is unknown or has an invalid value. */
export class OptionError extends TypeError {
  readonly text: Message;

  constructor(text: Message) {
    super(english(text));
    this.text = text;
  }
}

/** An option's value has the right type, but cannot be used. */
export class UnusableOptionError extends OptionError {
  readonly option: "stateFile" | "tlsCert" | "tlsKey";
  /** What is wrong, without the option's name: the command line has another one. */
  readonly reason: Message;

  constructor(option: UnusableOptionError["option"], reason: Message) {
    super(joined([say`The option ${option}: `, reason], ""));
    this.option = option;
    this.reason = reason;
  }
}

/** The assumption `credentials` is `listed`, but no credentials are configured. */
export class NoCredentialsError extends RangeError {
  override readonly name = "NoCredentialsError";
  readonly text: Message;

  constructor() {
    const text = say`The assumption "credentials" is "listed", but no credentials are listed.`;
    super(english(text));
    this.text = text;
  }
}
