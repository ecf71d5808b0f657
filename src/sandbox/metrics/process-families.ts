import type { EventLoopLag } from "../../platform/event-loop-lag.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { type Family, gauge } from "./family.ts";

/** The process's resources, with the names that Prometheus clients give them, so that common dashboards work. */
export function processFamilies(lag: EventLoopLag | undefined): readonly Family[] {
  const startedAt = wallNowMs() / 1000 - process.uptime();
  return [
    {
      name: "process_cpu_seconds_total",
      help: "User and system CPU time of the process, in seconds.",
      type: "counter",
      read: () => {
        const { user, system } = process.cpuUsage();
        return [{ value: (user + system) / 1e6 }];
      },
    },
    gauge(
      "process_start_time_seconds",
      "When the process started, in epoch seconds.",
      () => startedAt,
    ),
    gauge("process_resident_memory_bytes", "Resident memory of the process.", () =>
      process.memoryUsage.rss(),
    ),
    gauge(
      "nodejs_heap_size_total_bytes",
      "Memory that V8 has reserved for its heap.",
      () => process.memoryUsage().heapTotal,
    ),
    gauge(
      "nodejs_heap_size_used_bytes",
      "Memory of the heap that is in use.",
      () => process.memoryUsage().heapUsed,
    ),
    ...(lag
      ? [
          gauge(
            "nodejs_eventloop_lag_p99_seconds",
            "99th percentile of the event loop's lag since the last scrape.",
            () => lag.takeP99(),
          ),
        ]
      : []),
  ];
}
