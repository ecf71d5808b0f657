/** A message of the event stream without an id, and its place among the events with one. */
export interface PassingMessage {
  /** The number of the newest event before it. */
  readonly after: number;
  readonly text: string;
}

/** The messages without an id that one reader has not read yet. Their number is limited: a slow reader loses the oldest. */
export class NoticeBacklog {
  readonly #limit: number;
  readonly #toDropped: (count: number) => string;
  #messages: PassingMessage[] = [];
  #dropped = 0;

  /**
   * @param limit how many messages wait for a slow reader
   * @param toDropped the message that reports how many others were dropped
   */
  constructor(limit: number, toDropped: (count: number) => string) {
    this.#limit = limit;
    this.#toDropped = toDropped;
  }

  add(message: PassingMessage): void {
    this.#messages.push(message);
    if (this.#messages.length <= this.#limit) return;
    this.#messages.shift();
    this.#dropped++;
  }

  /** Takes the messages before the event with this number, after the report of dropped ones. */
  take(before: number): PassingMessage[] {
    const later = this.#messages.findIndex(({ after }) => after >= before);
    const taken = this.#messages.splice(0, later === -1 ? this.#messages.length : later);
    const [first] = taken;
    if (!first || this.#dropped === 0) return taken;
    const dropped = { after: first.after, text: this.#toDropped(this.#dropped) };
    this.#dropped = 0;
    return [dropped, ...taken];
  }
}
