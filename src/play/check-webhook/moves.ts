import { type Message, say } from "../../text/message.ts";

export const ONCE: Message = say`acts once`;
export const UNMOVED: Message = say`does not act`;

/** How much of an effect is shown. */
const SHOWN = 100;

/** How an effect changed. */
export function describeMove(before: string, after: string): Message {
  const [from, to] = [before, after].map((text) =>
    text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text,
  );
  return say`The effect changed from ${from ?? ""} to ${to ?? ""}.`;
}
