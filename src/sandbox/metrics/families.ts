import type { CallTally } from "../../http/call-tally.ts";
import { VERSION } from "../../core/version.ts";
import type { AttemptTally } from "./attempt-tally.ts";
import { type Family, gauge, histograms } from "./family.ts";
import type { MetricSources, TeamState } from "./metrics.ts";

/** The sandbox's own metrics: those that its sources can give. */
export function familiesOf(sources: MetricSources): readonly Family[] {
  const { calls, attempts, store, dueQueue, team } = sources;
  const position = sources.position ?? (store?.journal && (() => store.journal?.position));
  return [
    {
      name: "pix_sandbox_info",
      help: "Always 1; the label is the version.",
      type: "gauge",
      read: () => [{ value: 1, labels: { version: VERSION } }],
    },
    roleFamily(team),
    ...(team
      ? [
          gauge(
            "pix_sandbox_lease_age_seconds",
            "Time since the process last renewed its lease. A standby has none.",
            () => team.leaseAgeSeconds(),
          ),
        ]
      : []),
    ...(calls ? [callFamily(calls)] : []),
    ...(attempts ? [attemptFamily(attempts)] : []),
    ...(store ? storeFamilies(store) : []),
    ...(position
      ? [
          gauge(
            "pix_sandbox_journal_position",
            "Position of the last commit in the journal.",
            position,
          ),
        ]
      : []),
    ...(dueQueue
      ? [
          gauge(
            "pix_sandbox_due_events",
            "Entries of the due queue. An entry whose record has changed stays until its time.",
            () => dueQueue.size,
          ),
        ]
      : []),
  ];
}

function roleFamily(team: TeamState | undefined): Family {
  return {
    name: "pix_sandbox_role",
    help: "1 for the role that the process has now, 0 for the other one.",
    type: "gauge",
    read: () => {
      const own = team?.role() ?? "leader";
      return (["leader", "standby"] as const).map((role) => ({
        value: Number(role === own),
        labels: { role },
      }));
    },
  };
}

function callFamily(calls: CallTally): Family {
  return histograms(
    "pix_sandbox_http_request_duration_seconds",
    'Calls, and the time until the response begins. The route is the path of its definition, or "unknown". The status is "lost" if a fault broke the connection.',
    function* () {
      for (const { route, method, status, durations } of calls.each())
        yield { labels: { route, method, status: String(status) }, histogram: durations };
    },
  );
}

function attemptFamily(attempts: AttemptTally): Family {
  return {
    name: "pix_sandbox_webhook_attempts_total",
    help: "Webhook attempts by outcome, resends included.",
    type: "counter",
    read: () => [...attempts.counts].map(([outcome, value]) => ({ value, labels: { outcome } })),
  };
}

function storeFamilies(store: NonNullable<MetricSources["store"]>): readonly Family[] {
  const { journal } = store;
  return [
    {
      name: "pix_sandbox_records",
      help: "Stored records by kind.",
      type: "gauge",
      read: () => {
        // A reset replaces the tables.
        const { payins, payouts, deliveries } = store.records;
        return Object.entries({ payin: payins, payout: payouts, delivery: deliveries }).map(
          ([kind, { size }]) => ({ value: size, labels: { kind } }),
        );
      },
    },
    gauge(
      "pix_sandbox_deliveries_pending",
      "Deliveries that are neither delivered nor failed yet.",
      () => store.records.deliveries.count(({ status }) => status === "pending"),
    ),
    gauge(
      "pix_sandbox_changes_refused",
      "1 while changes are refused because the store cannot write them.",
      () => Number(store.isDegraded),
    ),
    ...(journal
      ? [
          histograms(
            "pix_sandbox_journal_append_duration_seconds",
            "Time of a successful append to the journal, until its commits are durable.",
            () => [{ histogram: journal.appendSeconds }],
          ),
          histograms(
            "pix_sandbox_journal_append_commits",
            "Commits in a successful append to the journal.",
            () => [{ histogram: journal.appendCommits }],
          ),
        ]
      : []),
  ];
}
