import { deliveries, nextDue, payins } from "./sandbox.ts";
import type { WireTask } from "./wire.ts";

/** What falls due at one moment. */
export interface DueMoment {
  readonly atMs: number;
  readonly kind: WireTask["kind"];
  readonly count: number;
}

/** The next moments at which something falls due, as far as the page knows. */
export function dueMoments(nowMs: number, max: number): readonly DueMoment[] {
  const found = new Map<string, DueMoment>();
  const seen = new Set<string>();
  const add = (at: string | null, kind: WireTask["kind"], id: string): void => {
    const atMs = Date.parse(at ?? "");
    if (!(atMs > nowMs) || seen.has(id)) return;
    seen.add(id);
    // What falls due in the same second is one mark.
    const key = `${kind} ${Math.floor(atMs / 1000)}`;
    const before = found.get(key);
    found.set(key, {
      kind,
      atMs: Math.max(atMs, before?.atMs ?? 0),
      count: (before?.count ?? 0) + 1,
    });
  };
  const next = nextDue.value;
  if (next) add(next.at, next.kind, next.id);
  for (const { id, status, expires_at } of payins)
    if (status === "waiting") add(expires_at, "payin_expires", id);
  for (const { id, next_attempt_at } of deliveries) add(next_attempt_at, "attempt", id);
  return [...found.values()].toSorted((one, other) => one.atMs - other.atMs).slice(0, max);
}

/** The places of times on a line: now is at `start`, the moments follow at equal distances, and the end is at 1. */
export class TimeScale {
  readonly #anchors: readonly { readonly place: number; readonly atMs: number }[];

  constructor(nowMs: number, moments: readonly Pick<DueMoment, "atMs">[], start: number) {
    const lastMs = moments.at(-1)?.atMs;
    const endMs = lastMs === undefined ? nowMs + HOUR_MS : lastMs + MINUTE_MS;
    const times = [nowMs, ...moments.map(({ atMs }) => atMs), endMs];
    const step = (1 - start) / (times.length - 1);
    this.#anchors = times.map((atMs, index) => ({ place: start + index * step, atMs }));
  }

  /** The place of a moment, by its number. */
  placeOf(index: number): number {
    return this.#anchors[index + 1]?.place ?? 1;
  }

  /** The time at a place; before `start` it is now. */
  timeAt(place: number): number {
    const next = this.#anchors.findIndex((anchor) => anchor.place >= place);
    const to = this.#anchors.at(next);
    const from = this.#anchors[next - 1];
    if (!to || !from) return this.#anchors[0]?.atMs ?? 0;
    const part = (place - from.place) / (to.place - from.place);
    return from.atMs + part * (to.atMs - from.atMs);
  }
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
