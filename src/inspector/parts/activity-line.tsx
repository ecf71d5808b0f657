import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Activity } from "../state/activity.ts";
import { t } from "../state/language.ts";
import { deliveries } from "../state/sandbox.ts";
import { shownStatus } from "../state/webhook.ts";
import type { WireDelivery, WirePayin, WirePayout } from "../state/wire.ts";
import { Outcome } from "./outcome.tsx";
import { Status } from "./status.tsx";
import { Money, Outside, shortId } from "./text.tsx";
import { toLongTime } from "./zone.ts";
import { say } from "../../text/message.ts";

/** What one line of the activity shows. */
export interface LineView {
  readonly what: ComponentChildren;
  /** The id that the line is about; undefined if it is about none. */
  readonly id?: string | undefined;
  readonly value?: ComponentChildren;
  readonly status?: ComponentChildren;
  /** The fragment of the record. */
  readonly link: string;
}

/** Describes a line, with the newest state of its webhook. */
export function viewOf({ event }: Activity): LineView {
  switch (event.kind) {
    case "payin":
    case "payout":
      return recordView(event.kind, event.data);
    case "delivery":
      return {
        ...webhookView(event.data),
        what: <>webhook {event.data.type}</>,
      };
    case "attempt": {
      const { attempt, attempt_number } = event.data;
      const { status, error } = attempt as { readonly status?: number; readonly error?: string };
      return {
        ...webhookView(event.data),
        what: (
          <>
            {t(say`attempt ${attempt_number}`)}
            {error !== undefined && <Outside text={`: ${error}`} />}{" "}
            <small>{attempt.duration_ms} ms</small>
          </>
        ),
        // The delivery's own status is the one after all attempts.
        status: <Outcome status={status} error={t(say`no response`)} />,
      };
    }
    case "request": {
      const { id, method, path, status, duration_ms } = event.data;
      return {
        what: (
          <>
            {method} <Outside text={path} /> <small>{duration_ms} ms</small>
          </>
        ),
        id,
        status: <Outcome status={status} />,
        link: `#/requests/${id}`,
      };
    }
    case "reset":
      return {
        what: t(say`reset or restore of records`),
        value: event.data.integration !== null && <Outside text={event.data.integration} />,
        link: "#/snapshots",
      };
    case "held":
    case "released":
      return {
        what: (
          <>
            {event.kind === "held" ? t(say`call held:`) : t(say`call released:`)} {event.data.on}
          </>
        ),
        id: event.data.fault_id,
        link: "#/faults",
      };
    case "fault": {
      const { change, fault } = event.data;
      return {
        what: (
          <>
            {t(FAULT_CHANGES[change])} {fault.on} <Outside text={fault.effect} />
          </>
        ),
        id: fault.id,
        link: "#/faults",
      };
    }
    case "clock":
      return {
        what: (
          <>
            {t(say`clock:`)} {toLongTime(Date.parse(event.data.now))}
          </>
        ),
        status: event.data.mode === "frozen" && t(say`frozen`),
        link: "#/activity",
      };
    case "assumptions":
      return {
        what: (
          <>
            {t(say`assumptions changed:`)}{" "}
            {Object.entries(event.data.changes)
              .map(([name, choice]) => `${name}=${choice}`)
              .join(", ")}
          </>
        ),
        link: "#/assumptions",
      };
    case "snapshot":
      return {
        what: (
          <>
            {t(SNAPSHOT_CHANGES[event.data.change])} {event.data.snapshot.name}
          </>
        ),
        link: "#/snapshots",
      };
  }
}

function recordView(kind: "payin" | "payout", record: WirePayin | WirePayout): LineView {
  const { id, status, value } = record;
  return {
    what:
      status === "waiting" ? t(say`${kind} created`) : t(say.for("event")`${kind} is ${status}`),
    id,
    value: <Money value={value} />,
    status: <Status status={status} />,
    link: `#/${kind}s/${id}`,
  };
}

function webhookView({ id, transaction_id, status }: WireDelivery): Omit<LineView, "what"> {
  return {
    id,
    value: <small>{shortId(transaction_id)}</small>,
    status: <NewestStatus id={id} status={status} />,
    link: `#/webhooks/${id}`,
  };
}

/** The status of a webhook that a line is about. @param status if the page no longer has the webhook */
function NewestStatus({ id, status }: Pick<WireDelivery, "id" | "status">) {
  const newest = useComputed(() => {
    void deliveries.version.value;
    return shownStatus(deliveries.get(id) ?? { id, status });
  });
  return <Status status={newest.value} />;
}

const FAULT_CHANGES = {
  created: say`fault armed:`,
  used: say`fault used:`,
  removed: say`fault removed:`,
};
const SNAPSHOT_CHANGES = {
  saved: say`snapshot saved:`,
  restored: say`snapshot restored:`,
  deleted: say`snapshot deleted:`,
};
