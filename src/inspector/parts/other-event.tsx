import type { ComponentChildren } from "preact";
import type { Activity } from "../state/activity.ts";
import { t } from "../state/language.ts";
import { Outside } from "./text.tsx";
import { toLongTime } from "./zone.ts";
import { say } from "../../text/message.ts";

/** An event of the sandbox itself: no payin, payout, webhook or request. */
export type OtherEvent = Exclude<
  Activity["event"],
  { readonly kind: "payin" | "payout" | "delivery" | "attempt" | "request" }
>;

/** What the activity shows of such an event, and the fragment of its pane. */
interface EventView {
  readonly what: ComponentChildren;
  readonly detail?: ComponentChildren;
  readonly link: string;
}

export function viewOf(event: OtherEvent): EventView {
  switch (event.kind) {
    case "reset":
      return {
        what: t(say`Reset or restore of records`),
        detail: event.data.integration !== null && <Outside text={event.data.integration} />,
        link: "#/snapshots",
      };
    case "held":
    case "released":
      return {
        what: event.kind === "held" ? t(say`Call held`) : t(say`Call released`),
        detail: event.data.on,
        link: "#/faults",
      };
    case "fault": {
      const { change, fault } = event.data;
      return {
        what: t(FAULT_CHANGES[change]),
        detail: (
          <>
            {fault.on} <Outside text={fault.effect} />
          </>
        ),
        link: "#/faults",
      };
    }
    case "clock":
      return {
        what: t(say`Clock`),
        detail: `${event.data.mode === "frozen" ? t(say`frozen`) : t(say`running`)} · ${toLongTime(Date.parse(event.data.now))}`,
        link: "#/activity",
      };
    case "assumptions":
      return {
        what: t(say`Assumptions changed`),
        detail: Object.entries(event.data.changes)
          .map(([name, choice]) => `${name}=${choice}`)
          .join(", "),
        link: "#/assumptions",
      };
    case "snapshot":
      return {
        what: t(SNAPSHOT_CHANGES[event.data.change]),
        detail: event.data.snapshot.name,
        link: "#/snapshots",
      };
  }
}

const FAULT_CHANGES = {
  created: say`Simulated fault armed`,
  used: say`Simulated fault used`,
  removed: say`Simulated fault removed`,
};
const SNAPSHOT_CHANGES = {
  saved: say`Snapshot saved`,
  restored: say`Snapshot restored`,
  deleted: say`Snapshot deleted`,
};
