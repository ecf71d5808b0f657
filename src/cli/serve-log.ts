import type { Activity } from "../server/activity/activity.ts";
import type { Sandbox } from "../server/activity/sandbox.ts";
import type { Io } from "./io.ts";

/** What `serve --log` prints. */
export const LOGS = ["all", "calls", "webhooks", "none"] as const;
export type Log = (typeof LOGS)[number];

/** Prints what happens in a sandbox: lines for people on stderr, or JSON lines on stdout. */
export function startLog(
  sandbox: Pick<Sandbox, "onActivity" | "url">,
  { log, isJson }: { readonly log: Log; readonly isJson: boolean },
  io: Io,
): void {
  if (log === "none") return;
  const isWanted = ({ kind }: Activity): boolean =>
    log === "all" || (log === "calls") === (kind === "call");
  // A start does not wait for it.
  const loading = import("./log-lines.ts");
  sandbox.onActivity((activity) => {
    if (!isWanted(activity)) return;
    void loading.then(({ renderActivity, renderJson }) => {
      if (isJson) io.log("stdout", renderJson(activity));
      else io.log("stderr", renderActivity(activity, sandbox.url, io));
    });
  });
}
