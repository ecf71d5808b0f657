import { Histogram, SECONDS_BOUNDS } from "../core/metrics/histogram.ts";

/** The route of calls whose path no route has: paths would be labels without bound. */
export const UNKNOWN_ROUTE = "unknown";

/** The status of a call, or that a fault broke the connection in place of the response. */
type Status = number | "lost";

/** The durations of the calls with the same route, method and status. */
export interface CallDurations {
  readonly route: string;
  readonly method: string;
  readonly status: Status;
  /** In seconds, until the response is handed to the server. A stream lasts longer. */
  readonly durations: Histogram;
}

/** Counts the calls and their durations by route, method and status. */
export class CallTally {
  readonly #routes = new Map<string, Map<string, Map<Status, Histogram>>>();

  /** @param route the path of the route's definition, never that of the call */
  add(route: string, method: string, status: Status, durationMs: number): void {
    const durations =
      this.#routes.get(route)?.get(method)?.get(status) ?? this.#durationsOf(route, method, status);
    durations.observe(durationMs / 1000);
  }

  *each(): Generator<CallDurations> {
    for (const [route, methods] of this.#routes)
      for (const [method, statuses] of methods)
        for (const [status, durations] of statuses) yield { route, method, status, durations };
  }

  #durationsOf(route: string, givenMethod: string, status: Status): Histogram {
    const method = METHODS.has(givenMethod) ? givenMethod : "other";
    const methods = getOrAdd(this.#routes, route, () => new Map<string, Map<Status, Histogram>>());
    const statuses = getOrAdd(methods, method, () => new Map<Status, Histogram>());
    return getOrAdd(statuses, status, () => new Histogram(SECONDS_BOUNDS));
  }
}

const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
