import { closest } from "../text/suggestion.ts";
import { EVENT_TYPES } from "../core/records/transaction.ts";

/**
 * Checks an argument that TypeScript checks too, for callers in JavaScript.
 * @param caller the name of the function that takes it
 * @throws TypeError if it is neither an event type nor undefined
 */
export function assertEventType(caller: string, type: unknown): void {
  if (type === undefined || (EVENT_TYPES as readonly unknown[]).includes(type)) return;
  const suggestion = typeof type === "string" ? closest(type, EVENT_TYPES) : undefined;
  const advice = suggestion === undefined ? "" : ` Did you mean ${JSON.stringify(suggestion)}?`;
  throw new TypeError(
    `${caller} takes one of ${EVENT_TYPES.join(", ")}, not ${JSON.stringify(type)}.${advice}`,
  );
}
