import { ANYTHING } from "./references.ts";
import type { LocalizedText } from "../../core/localized-text.ts";

/** One member that is not what was expected. */
export interface Difference {
  /** The way to it, with dots; empty for the whole. */
  readonly member: string;
  readonly expected: unknown;
  /** Absent where there is no such member. */
  readonly found?: unknown;
}

/** A step that did not go as the story has it. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";
  readonly differences: readonly Difference[];
  /** What may help to see why, a line each. */
  readonly notes: readonly LocalizedText[];

  constructor(differences: readonly Difference[], notes: readonly LocalizedText[] = []) {
    super("The step failed.");
    this.differences = differences;
    this.notes = notes;
  }
}

/** Every member that is expected and is not so; what is not spoken of may be anything. A list is as long as expected. */
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
