import { recordOf } from "./refusal.ts";
import { transactionPlace } from "./transaction-place.ts";
import type { PageEvent, WireDelivery, WirePayin, WirePayout, WireRequest } from "./wire.ts";

/** One line of the activity: an event of the sandbox. */
export interface Activity {
  /** The same event has the same key, whether it was streamed or found in a list. */
  readonly key: string;
  /** Sandbox time. */
  readonly at: string;
  /** The real time of an attempt. */
  readonly realAt?: string;
  readonly event: Exclude<PageEvent, { readonly kind: "connected" | "missed" | "sent" }>;
}

/**
 * The line of a streamed event; undefined for an event that only concerns the page.
 * @param now the sandbox's time, for events that have none of their own
 * @param number tells events of the same kind apart that have no id
 */
export function activityOf(event: PageEvent, now: string, number: number): Activity | undefined {
  switch (event.kind) {
    case "payin":
    case "payout":
      return settled(event.kind, event.data);
    case "delivery":
      return created(event.data);
    case "attempt": {
      const { id, attempt_number, attempt } = event.data;
      return { key: `attempt ${id} ${attempt_number}`, ...timesOf(attempt), event };
    }
    case "request":
      return { key: event.data.id, at: event.data.at, event };
    case "reset":
    case "held":
    case "released":
    case "fault":
    case "clock":
    case "assumptions":
    case "snapshot":
      return { key: `${event.kind} ${now} ${number}`, at: now, event };
    case "connected":
    case "missed":
    case "sent":
      return undefined;
  }
}

/** The payin or payout that an event is about; undefined if it is about none. */
export function transactionOf({
  kind,
  data,
}: Activity["event"]): { readonly pane: "payins" | "payouts"; readonly id: string } | undefined {
  switch (kind) {
    case "payin":
      return { pane: "payins", id: data.id };
    case "payout":
      return { pane: "payouts", id: data.id };
    case "delivery":
    case "attempt":
      return transactionPlace(data);
    case "request":
      return recordOf(data);
    case "reset":
    case "held":
    case "released":
    case "fault":
    case "clock":
    case "assumptions":
    case "snapshot":
      return undefined;
  }
}

/** The line under which the activity shows an event: one for each payin and payout, with its newest event. */
export function groupOf(line: Activity): Activity {
  return { ...line, key: transactionOf(line.event)?.id ?? line.key };
}

/** The groups of lines, in the order of their first events. @param lines oldest first */
export function groupsOf(lines: Iterable<Activity>): readonly Activity[] {
  const groups = new Map<string, Activity>();
  for (const line of lines) {
    const group = groupOf(line);
    groups.set(group.key, group);
  }
  return [...groups.values()];
}

/** The lists from which earlier activity is derived. */
export interface Lists {
  readonly payins: Iterable<WirePayin>;
  readonly payouts: Iterable<WirePayout>;
  readonly deliveries: Iterable<WireDelivery>;
  readonly requests: Iterable<WireRequest>;
  /** Lines that are in no list. */
  readonly others: readonly Activity[];
}

/** The lines that the lists show, oldest first. */
export function activityOfLists(lists: Lists): readonly Activity[] {
  const found: { readonly order: number; readonly rank: number; readonly line: Activity }[] = [];
  const add = (order: number, rank: number, line: Activity) => found.push({ order, rank, line });
  const addRecord = (kind: "payin" | "payout", record: WirePayin | WirePayout): void => {
    const before = { ...record, status: "waiting", settled_at: null } as WirePayin & WirePayout;
    add(Date.parse(record.created_at), 0, settled(kind, before));
    if (record.settled_at !== null) add(Date.parse(record.settled_at), 1, settled(kind, record));
  };
  for (const payin of lists.payins) addRecord("payin", payin);
  for (const payout of lists.payouts) addRecord("payout", payout);
  for (const delivery of lists.deliveries) {
    const createdMs = Date.parse(delivery.created_at);
    add(createdMs, 2, created(delivery));
    for (const [index, attempt] of delivery.attempts.entries()) {
      const data = { ...delivery, attempt_number: index + 1, attempt };
      add(Math.max(createdMs, Date.parse(attempt.sandbox_at)), 3, {
        key: `attempt ${delivery.id} ${index + 1}`,
        ...timesOf(attempt),
        event: { kind: "attempt", data },
      });
    }
  }
  for (const request of lists.requests)
    add(Date.parse(request.at), -1, {
      key: request.id,
      at: request.at,
      event: { kind: "request", data: request },
    });
  for (const line of lists.others) add(Date.parse(line.at), 4, line);
  return found
    .toSorted((one, other) => one.order - other.order || one.rank - other.rank)
    .map(({ line }) => line);
}

function timesOf({ at, sandbox_at }: WireDelivery["attempts"][number]) {
  return { at: sandbox_at, realAt: at };
}

function settled(kind: "payin" | "payout", data: WirePayin | WirePayout): Activity {
  const event = { kind, data } as Activity["event"];
  return {
    key: `${data.id} ${data.status}`,
    at: data.settled_at ?? data.created_at,
    event,
  };
}

function created(data: WireDelivery): Activity {
  return { key: data.id, at: data.created_at, event: { kind: "delivery", data } };
}
