import { type Message, say } from "../../text/message.ts";
import type { AssumptionChanges, AssumptionName } from "./table.ts";

/** When and how a choice was observed at a gateway. */
export interface Observation {
  /** In ISO 8601. */
  readonly at: string;
  readonly by: (typeof OBSERVERS)[number];
  /** The calls that showed it, each with its response, such as `POST /v1/payouts 422 NOT_PROCESSABLE`. */
  readonly evidence?: readonly string[] | undefined;
}

/** Says where a choice comes from. @param observed when, in ISO 8601 */
export function fromProfile(name: string, observed: string | null | undefined): Message {
  return observed === null || observed === undefined
    ? say`From the profile ${name}.`
    : say`From the profile ${name}, observed on ${observed.slice(0, 10)}.`;
}

export const OBSERVERS = ["probe", "recording"] as const;

/** The choices of one gateway, with their evidence: a file that teams share. */
export interface Profile {
  readonly name: string;
  readonly assumptions: AssumptionChanges;
  readonly observed?: Readonly<Partial<Record<AssumptionName, Observation>>> | undefined;
}
