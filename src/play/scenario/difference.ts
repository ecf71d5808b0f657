import { ANYTHING } from "./references.ts";
import type { Message } from "../../text/message.ts";

/** One member that differs from the expectation. */
export interface Difference {
  /** The path with dots; empty for the whole value. */
  readonly member: string;
  readonly expected: unknown;
  /** Absent if the member does not exist. */
  readonly found?: unknown;
}

/** A failed step. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";
  readonly differences: readonly Difference[];
  /** Explanations, one per line. */
  readonly notes: readonly Message[];

  constructor(differences: readonly Difference[], notes: readonly Message[] = []) {
    super("The step failed.");
    this.differences = differences;
    this.notes = notes;
  }
}

/** Compares expected members. Other members may have any value; a list must have the expected length. */
export function differencesOf(expected: unknown, found: unknown, member = ""): Difference[] {
  if (expected === ANYTHING && found !== undefined && found !== null) return [];
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return [{ member, expected, found }];
    return expected.flatMap((each, index) =>
      differencesOf(each, found[index], join(member, String(index))),
    );
  }
  if (isObject(expected) && isObject(found)) {
    return Object.entries(expected).flatMap(([name, each]) =>
      differencesOf(each, Object.hasOwn(found, name) ? found[name] : undefined, join(member, name)),
    );
  }
  return expected === found ? [] : [{ member, expected, found }];
}

function join(path: string, member: string): string {
  return path === "" ? member : `${path}.${member}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
