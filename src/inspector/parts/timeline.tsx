import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Activity, activityOfLists } from "../state/activity.ts";
import { control } from "../state/control.ts";
import { t } from "../state/language.ts";
import { toFragment } from "../state/place.ts";
import { deliveries, loads, pulse, requests } from "../state/sandbox.ts";
import type { Page, WireDelivery, WirePayin, WirePayout, WireRequest } from "../state/wire.ts";
import { AttemptHelp } from "./attempt-help.tsx";
import { Body } from "./body.tsx";
import { spanOf, until, useNow } from "./now.ts";
import { isSuccess, Outcome, RequestOutcome } from "./outcome.tsx";
import { milliseconds, Outside, shortAddress, shortId, Time } from "./text.tsx";
import { type Message, say, verbatim } from "../../text/message.ts";

/** All that concerns a payin or payout, in order: requests, changes, webhooks, and their attempts with the responses. */
export function Timeline(props: { readonly payin?: WirePayin; readonly payout?: WirePayout }) {
  const { payin, payout } = props;
  const { id = "" } = payin ?? payout ?? {};
  const stored = useStoredDeliveries(id);
  const beat = pulse.value;
  const webhooks = useMemo(() => {
    const live = [...deliveries].filter((one) => one.transaction_id === id);
    const liveIds = new Set(live.map((one) => one.id));
    return [...stored.filter((one) => !liveIds.has(one.id)), ...live];
  }, [id, stored, beat]);
  const lines = useMemo(() => {
    const calls = [...requests].filter(
      ({ path, body, response }) =>
        path.includes(id) || body?.includes(id) || response?.includes(id),
    );
    const all = activityOfLists({
      payins: payin ? [payin] : [],
      payouts: payout ? [payout] : [],
      deliveries: webhooks,
      requests: calls,
      others: [],
    });
    // The request that created it says the same.
    return calls.length === 0 ? all : all.filter(({ event }) => !isCreation(event));
  }, [id, payin, payout, webhooks]);
  return (
    <section>
      <h3 class="part">{t(say`Timeline`)}</h3>
      <ol class="timeline" data-testid="timeline">
        {lines.map((line) => (
          <Entry key={line.key} line={line} />
        ))}
        {webhooks.map(
          ({ id: webhook, next_attempt_at }) =>
            next_attempt_at !== null && (
              <Due key={webhook} at={next_attempt_at} what={t(say`next attempt of the webhook`)} />
            ),
        )}
        {payin?.status === "waiting" && (
          <Due at={payin.expires_at} what={t(say.for("payin")`expires`)} />
        )}
      </ol>
    </section>
  );
}

function isCreation({ kind, data }: Activity["event"]): boolean {
  return (kind === "payin" || kind === "payout") && data.status === "waiting";
}

function Entry({ line: { event, at, realAt } }: { readonly line: Activity }) {
  switch (event.kind) {
    case "payin":
    case "payout": {
      const { status, created_at } = event.data;
      const after = Date.parse(at) - Date.parse(created_at);
      const tone = status === "paid" || status === "completed" ? "good" : "";
      return (
        <Line
          at={at}
          tone={tone}
          end={status === "waiting" ? null : t(say`after ${spanOf(after)}`)}
        >
          {t(changeOf(event.kind, status))}
        </Line>
      );
    }
    case "request":
      return <RequestEntry request={event.data} />;
    case "delivery":
      return (
        <Line
          at={at}
          tone=""
          end={<code>{shortId(event.data.id)}</code>}
          texts={
            <details>
              <summary>{t(say`Body`)}</summary>
              <Body text={event.data.body} />
            </details>
          }
        >
          <a class="plain-link" href={toFragment({ pane: "webhooks", id: event.data.id })}>
            Webhook <code>{event.data.type}</code>
          </a>{" "}
          <span class="dim">
            → <Outside text={shortAddress(event.data.url)} />
          </span>
        </Line>
      );
    case "attempt": {
      const { attempt, attempt_number } = event.data;
      const { status, error } = attempt as { readonly status?: number; readonly error?: string };
      const isGood = isSuccess(status);
      return (
        <Line
          at={at}
          realAt={realAt}
          tone={isGood ? "good" : "bad"}
          end={milliseconds(attempt.duration_ms)}
          texts={
            <>
              {attempt.response && (
                <details open={!isGood}>
                  <summary>{t(say`Response`)}</summary>
                  <Body text={attempt.response} />
                </details>
              )}
              <AttemptHelp delivery={event.data} attempt={attempt} />
            </>
          }
        >
          <Outcome status={status} error={error ?? t(say`no response`)} />{" "}
          <span class="dim">
            {t(say`attempt ${attempt_number}`)}
            {attempt.resend && ` · ${t(say`resent`)}`}
          </span>
        </Line>
      );
    }
    case "reset":
    case "held":
    case "released":
    case "fault":
    case "clock":
    case "assumptions":
    case "snapshot":
      return null;
  }
}

function RequestEntry({ request }: { readonly request: WireRequest }) {
  const { id, at, method, path, status, lost, duration_ms, body, response } = request;
  return (
    <Line
      at={at}
      tone={isSuccess(status) && !lost ? "" : "bad"}
      end={milliseconds(duration_ms)}
      texts={
        <details>
          <summary>{t(say`Request and response`)}</summary>
          {body !== null && <Body text={body} />}
          {response !== null && <Body text={response} />}
        </details>
      }
    >
      <a class="plain-link" href={toFragment({ pane: "requests", id })}>
        <code>
          <Outside text={`${method} ${path}`} />
        </code>
      </a>{" "}
      <RequestOutcome request={request} />
    </Line>
  );
}

/** What will happen if nothing else does. */
function Due(props: { readonly at: string; readonly what: string }) {
  const { at, what } = props;
  const now = useNow();
  return (
    <Line at={at} tone="due" end={until(Date.parse(at) - now)}>
      <span class="dim">{what}</span>
    </Line>
  );
}

function Line(props: {
  readonly at: string;
  readonly realAt?: string | undefined;
  readonly tone: string;
  readonly end: ComponentChildren;
  readonly children: ComponentChildren;
  /** Below the line, such as a body. */
  readonly texts?: ComponentChildren;
}) {
  const { at, realAt, tone, end, children, texts } = props;
  return (
    <li>
      <Time at={at} realAt={realAt} hasMilliseconds />
      <span class={`dot ${tone}`} aria-hidden="true" />
      <div>{children}</div>
      <span class="end">{end}</span>
      {texts && <div class="texts">{texts}</div>}
    </li>
  );
}

const CHANGES = {
  payin: {
    waiting: say.for("payin")`created`,
    paid: say`paid by the payer`,
    completed: say.for("payin")`completed by a simulation`,
    canceled: say.for("payin")`canceled`,
    expired: say.for("payin")`expired`,
  },
  payout: {
    waiting: say.for("payout")`created`,
    completed: say.for("payout")`completed`,
    canceled: say.for("payout")`canceled`,
  },
};

function changeOf(kind: "payin" | "payout", status: string): Message {
  const changes: Readonly<Record<string, Message>> = CHANGES[kind];
  return changes[status] ?? verbatim(status);
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
