import { useEffect, useMemo, useState } from "preact/hooks";
import { viewOf } from "./activity-line.tsx";
import { type Activity, activityOfLists } from "../state/activity.ts";
import { control } from "../state/control.ts";
import { t } from "../state/language.ts";
import { deliveries, loads, pulse, requests } from "../state/sandbox.ts";
import type { Page, WireDelivery, WirePayin, WirePayout } from "../state/wire.ts";
import { Body } from "./body.tsx";
import { Time } from "./text.tsx";
import { say } from "../../text/message.ts";

/** All that concerns a payin or payout, in order: requests, changes, webhooks, and their attempts with the responses. */
export function Timeline(props: { readonly payin?: WirePayin; readonly payout?: WirePayout }) {
  const { payin, payout } = props;
  const { id = "" } = payin ?? payout ?? {};
  const stored = useStoredDeliveries(id);
  const beat = pulse.value;
  const lines = useMemo(() => {
    const live = [...deliveries].filter((one) => one.transaction_id === id);
    const liveIds = new Set(live.map((one) => one.id));
    return activityOfLists({
      payins: payin ? [payin] : [],
      payouts: payout ? [payout] : [],
      deliveries: [...stored.filter((one) => !liveIds.has(one.id)), ...live],
      requests: [...requests].filter(
        ({ path, body, response }) =>
          path.includes(id) || body?.includes(id) || response?.includes(id),
      ),
      others: [],
    });
  }, [id, payin, payout, stored, beat]);
  return (
    <>
      <h3>{t(say`Timeline`)}</h3>
      <ol class="timeline" data-testid="timeline">
        {lines.map((line) => (
          <Entry key={line.key} line={line} />
        ))}
      </ol>
    </>
  );
}

function Entry({ line }: { readonly line: Activity }) {
  const { what, status, link } = viewOf(line);
  return (
    <li class={line.event.kind}>
      <Time at={line.at} realAt={line.realAt} /> <a href={link}>{what}</a> {status}
      <Texts line={line} />
    </li>
  );
}

/** The bodies that a line carries. */
function Texts({ line: { event } }: { readonly line: Activity }) {
  if (event.kind === "request") {
    const { body, response } = event.data;
    return (
      <details>
        <summary>{t(say`Request and response`)}</summary>
        {body !== null && <Body text={body} />}
        {response !== null && <Body text={response} />}
      </details>
    );
  }
  if (event.kind === "delivery")
    return (
      <details>
        <summary>{t(say`Body`)}</summary>
        <Body text={event.data.body} />
      </details>
    );
  if (event.kind === "attempt" && event.data.attempt.response)
    return <Body text={event.data.attempt.response} />;
  return null;
}

/** The deliveries of a transaction that the sandbox has; the page may not have loaded all. */
function useStoredDeliveries(id: string): readonly WireDelivery[] {
  const [stored, setStored] = useState<readonly WireDelivery[]>([]);
  useEffect(() => {
    const query = new URLSearchParams({ transaction_id: id, limit: "1000" });
    control<Page<WireDelivery>>("GET", `/deliveries?${query}`).then(
      ({ data }) => setStored(data),
      // The live ones are shown.
      () => undefined,
    );
  }, [id, loads.value]);
  return stored;
}
