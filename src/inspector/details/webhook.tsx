import { aheadOfRealTime } from "../../text/duration.ts";
import { useMemo } from "preact/hooks";
import { until, useNow } from "../parts/now.ts";
import { useRecordKeys } from "../state/keys.ts";
import { Actions } from "../parts/action.tsx";
import { Body } from "../parts/body.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { DetailHead, Facts, NotFound, WholeId } from "../parts/detail.tsx";
import { Headers } from "../parts/headers.tsx";
import { Outcome } from "../parts/outcome.tsx";
import { Status } from "../parts/status.tsx";
import { milliseconds, Outside, recordNoun, shortId, Time } from "../parts/text.tsx";
import { AttemptHelp, useSignatureCheck } from "../parts/attempt-help.tsx";
import { type Action, run } from "../state/actions.ts";
import { canBeCut, webhookExchange } from "../state/exchange.ts";
import { language, t } from "../state/language.ts";
import { toFragment } from "../state/place.ts";
import { useRecord } from "../state/record.ts";
import { clock, deliveries } from "../state/sandbox.ts";
import { isSinkUrl } from "../../wire/names.ts";
import type { SignatureCheck } from "../state/signature.ts";
import { transactionPlace } from "../state/transaction-place.ts";
import { shownStatus } from "../state/webhook.ts";
import type { WireDelivery } from "../state/wire.ts";
import { say } from "../../text/message.ts";

type WireAttempt = WireDelivery["attempts"][number];

/** One webhook: what was sent, each attempt to send it, and what the merchant's server responded. */
export function WebhookDetail({ id }: { readonly id: string }) {
  const found = useRecord("deliveries", id, deliveries);
  const delivery = found.row;
  useRecordKeys({ r: () => delivery && void run(resendAction(delivery)) });
  if (!delivery) return <NotFound title={recordNoun("webhooks")} id={id} found={found} />;
  return <Webhook delivery={delivery} />;
}

function Webhook({ delivery }: { readonly delivery: WireDelivery }) {
  const { id, type, url, created_at, next_attempt_at, fault, attempts, integration, body } =
    delivery;
  const exchange = useMemo(
    () => webhookExchange(delivery, language.value),
    [delivery, language.value],
  );
  const copy = t(say`Copy webhook and responses`);
  return (
    <>
      <DetailHead
        id={id}
        title={<code>{type}</code>}
        status={<Status of="webhook" status={shownStatus(delivery)} isChip />}
        actions={<Actions actions={[resendAction(delivery)]} />}
        about={
          <>
            → <Outside text={url} />
          </>
        }
      />
      <Facts
        facts={[
          [t(say`Id`), <WholeId key="id" id={id} />, "wide"],
          [t(say`Transaction`), <TransactionLink key="transaction" delivery={delivery} />],
          [t(say`Created`), <Time key="created" at={created_at} />],
          [
            t(say`Next attempt`),
            next_attempt_at === null ? null : <NextAttempt key="next" at={next_attempt_at} />,
          ],
          [
            t(say`Fault`),
            fault === undefined ? null : (
              <code key="fault">
                <Outside text={fault} />
              </code>
            ),
          ],
          [t(say`Integration`), <Outside key="integration" text={integration} />],
        ]}
      />
      <CopyButton text={exchange} label={copy} caption={copy} />
      <h3 class="part">{t(say`Attempts`)}</h3>
      {attempts.length === 0 ? (
        <p class="dim">{t(say`No attempts yet.`)}</p>
      ) : (
        <>
          <p class="dim">{t(say`Newest first. The times are those of the sandbox's clock.`)}</p>
          <ol class="attempts" reversed>
            {attempts
              .map((attempt, index) => (
                <Attempt
                  key={index}
                  delivery={delivery}
                  attempt={attempt}
                  number={index + 1}
                  isOpen={index === attempts.length - 1}
                />
              ))
              .toReversed()}
          </ol>
        </>
      )}
      <h3 class="part">{t(say`Body`)}</h3>
      <Body text={body} />
    </>
  );
}

/** One POST: its result, its signature, and the response. */
function Attempt(props: {
  readonly delivery: WireDelivery;
  readonly attempt: WireAttempt;
  readonly number: number;
  /** Whether its headers are shown at first. */
  readonly isOpen: boolean;
}) {
  const { delivery, attempt, number, isOpen } = props;
  const {
    at,
    sandbox_at,
    status,
    error,
    duration_ms,
    response,
    location,
    retry_after_seconds,
    resend,
  } = attempt as WireAttempt & { readonly status?: number; readonly error?: string };
  return (
    <li data-testid="attempt">
      <h4>
        {t(say`Attempt ${number}`)} <Outcome status={status} error={error} />
      </h4>
      <p class="attempt-facts">
        <Time at={sandbox_at} realAt={at} hasMilliseconds />{" "}
        <span>{milliseconds(duration_ms)}</span>
        {aheadOfRealTime(Date.parse(sandbox_at) - Date.parse(at)) && (
          <span>
            {t(say`real time: `)}
            <Time at={at} />
          </span>
        )}
        {resend && <span>{t(say`resent`)}</span>}
        <SignatureResult delivery={delivery} attempt={attempt} />
      </p>
      {location !== undefined && (
        <p>
          {t(say`Redirects to `)}
          <code>
            <Outside text={location} />
          </code>
          {t(say`. Webhooks do not follow redirects.`)}
        </p>
      )}
      {retry_after_seconds !== undefined && (
        <p>
          <code>retry-after</code>: {retry_after_seconds} s
        </p>
      )}
      {response !== undefined && <Body text={response} />}
      {response !== undefined && canBeCut(response) && (
        <p class="dim">{t(say`The sandbox stores only the first 16 KiB of a response.`)}</p>
      )}
      <AttemptHelp delivery={delivery} attempt={attempt} />
      <details open={isOpen}>
        <summary>{t(say`Request headers`)}</summary>
        <Headers headers={attempt.headers} />
      </details>
    </li>
  );
}

/** Whether an attempt is signed, by word and shape. Only the sandbox's own receiver is known to have verified it. */
function SignatureResult({
  delivery,
  attempt,
}: {
  readonly delivery: WireDelivery;
  readonly attempt: WireAttempt;
}) {
  const check = useSignatureCheck(delivery, attempt)?.check;
  if (check === undefined) return null;
  const isVerified =
    check === "right" && isSinkUrl(delivery.url) && "status" in attempt && attempt.status === 200;
  const tone = { right: "good", wrong: "bad", unsigned: "over", unavailable: "over" }[check];
  const shape = { right: "●", wrong: "✕", unsigned: "◇", unavailable: "◇" }[check];
  return (
    <span class={`signature ${tone}`} data-testid="signature">
      <span aria-hidden="true">{shape}</span>{" "}
      {isVerified ? t(say`valid signature`) : signatureText(check)}
    </span>
  );
}

function signatureText(check: SignatureCheck): string {
  return t(
    {
      right: say`signed`,
      wrong: say`invalid signature`,
      unsigned: say`not signed`,
      unavailable: say`The signature cannot be checked here: open the page at localhost, or start the sandbox with --https.`,
    }[check],
  );
}

/** When the next attempt is due, by the sandbox's clock. */
function NextAttempt({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <>
      {until(Date.parse(at) - now)}
      {clock.value.mode === "frozen" && t(say` (the clock is frozen)`)}
    </>
  );
}

/** A link to the payin or payout that a webhook reports; the type of the event says which of them it is. */
export function TransactionLink({ delivery }: { readonly delivery: WireDelivery }) {
  return (
    <a href={toFragment(transactionPlace(delivery))}>
      <code>{shortId(delivery.transaction_id)}</code>
    </a>
  );
}

/** Sends a webhook again, with the same id and bytes. */
export function resendAction({ id, integration }: WireDelivery): Action {
  return {
    label: t(say`Resend`),
    method: "POST",
    path: `/deliveries/${id}/resend`,
    command: ["webhooks", "resend", id],
    integration,
    isMain: true,
  };
}
