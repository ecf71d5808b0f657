import type { Register } from "./linearizability.ts";

/** What is asked of one record: to create it, to complete it, or which status it has. */
export type RecordInput = "create" | "complete" | "read";
/** The status in a response; `absent` for a 404. */
export type RecordState = "absent" | "waiting" | "completed";

/** The status of one record. A creation may be repeated with its key, and then gives the first response. */
export const RECORD: Register<RecordState, RecordInput, RecordState> = {
  initial: "absent",
  step(state, input, output) {
    if (input === "read") return output === undefined || output === state ? state : undefined;
    if (input === "create") return state === "absent" ? "waiting" : state;
    // Only a record that exists and waits can be completed; a repeated completion is refused.
    if (output === "completed") return state === "waiting" ? "completed" : undefined;
    if (output === undefined) return state === "waiting" ? "completed" : state;
    return output === state ? state : undefined;
  },
};

/** The id of the record that a key was used for: the first creation decides. */
export const KEY: Register<string, "create", string> = {
  initial: "",
  step(state, _input, output) {
    // An unknown response: the key may have been used, and the next response shows for which id.
    if (output === undefined) return state === "" ? "?" : state;
    return state === "" || state === "?" || state === output ? output : undefined;
  },
};
