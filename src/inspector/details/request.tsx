import { useEffect, useMemo } from "preact/hooks";
import { Command } from "../parts/action.tsx";
import { Body } from "../parts/body.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { DetailHead, Facts, NotFound, WholeId } from "../parts/detail.tsx";
import { Headers } from "../parts/headers.tsx";
import { Floating } from "../parts/floating.tsx";
import { ICONS, Icon } from "../parts/icon.tsx";
import { isSuccess, Outcome } from "../parts/outcome.tsx";
import { milliseconds, Outside, recordNoun, shortId, Time } from "../parts/text.tsx";
import { requestExchange } from "../state/exchange.ts";
import { gatewayCurl } from "../state/gateway-curl.ts";
import { language, t } from "../state/language.ts";
import { connection } from "../state/live.ts";
import { toFragment } from "../state/place.ts";
import { recordOf, refusalOf } from "../state/refusal.ts";
import { loadOlder, requests } from "../state/sandbox.ts";
import type { WireRequest } from "../state/wire.ts";
import { say } from "../../text/message.ts";
import { ORIGIN } from "../state/origin.ts";

const ASSUMPTION_HEADER = "x-sandbox-assumption";

/** One request to the gateway: what the client sent, what is wrong with it, and the response. */
export function RequestDetail({ id }: { readonly id: string }) {
  void requests.version.value;
  const request = requests.get(id);
  const hasOlder = requests.hasOlder.value;
  // No route shows a single request.
  useEffect(() => {
    if (!request && hasOlder) void loadOlder("requests").catch(() => undefined);
  });
  if (request) return <Request request={request} />;
  const isLoading = hasOlder || connection.value === "connecting";
  return (
    <NotFound
      title={recordNoun("requests")}
      id={id}
      found={
        isLoading
          ? {}
          : {
              message: t(
                say`The sandbox no longer has this request: it stores the newest ones in memory, until a reset or a restart.`,
              ),
            }
      }
    />
  );
}

function Request({ request }: { readonly request: WireRequest }) {
  const { id, at, method, path, headers, body, status, response_headers, response } = request;
  const { lost, duration_ms, integration } = request;
  const refusal = useMemo(() => refusalOf(request), [request]);
  const curl = useMemo(() => gatewayCurl(request, ORIGIN), [request]);
  const exchange = useMemo(
    () => requestExchange(request, language.value),
    [request, language.value],
  );
  const copyExchange = t(say`Copy request and response`);
  const members = refusal?.members ?? [];
  const assumption = response_headers[ASSUMPTION_HEADER];
  return (
    <>
      <DetailHead
        id={id}
        title={
          <code>
            <Outside text={`${method} ${path}`} />
          </code>
        }
        status={
          <span class={`chip ${isSuccess(status) ? "good" : "bad"}`}>
            <Outcome status={status} />
          </span>
        }
        actions={curl !== undefined && <CodeButton curl={curl} />}
      />
      {refusal?.message != null && (
        <p class="refusal" data-testid="refusal">
          {refusal.code !== null && <code>{refusal.code}</code>} <Outside text={refusal.message} />
        </p>
      )}
      {lost && (
        <p class="refusal" data-testid="lost">
          <span aria-hidden="true">✕</span>{" "}
          {t(say`Lost: the client had disconnected before the response.`)}
        </p>
      )}
      <Facts
        facts={[
          [t(say`Id`), <WholeId key="id" id={id} />],
          [t(say`Time`), <Time key="time" at={at} hasMilliseconds />],
          [t(say`Duration`), milliseconds(duration_ms)],
          [
            t(say`Integration`),
            integration ? <Outside key="integration" text={integration} /> : null,
          ],
          [
            t(say`Record`),
            recordOf(request) ? <RecordLink key="record" request={request} /> : null,
          ],
        ]}
      />
      <CopyButton text={exchange} label={copyExchange} caption={copyExchange} />
      {curl === undefined && (
        <p class="dim">
          {t(
            say`There is no curl command: the sandbox stores only the beginning of this long body.`,
          )}
        </p>
      )}
      {assumption !== undefined && (
        <p data-testid="assumption">
          {t(say`The response depends on choices where the specification is silent: `)}
          <a href={toFragment({ pane: "assumptions" })}>
            <code>
              <Outside text={assumption} />
            </code>
          </a>
        </p>
      )}
      <h3 class="part">{t(say`Request body`)}</h3>
      {body === null && members.length === 0 ? (
        <NoBody />
      ) : (
        <Body text={body ?? ""} marks={members} />
      )}
      <h3 class="part">{t(say`Request headers`)}</h3>
      <Headers headers={headers} errors={refusal?.headers ?? []} />
      <h3 class="part">{t(say`Response`)}</h3>
      {response === null ? <NoBody /> : <Body text={response} />}
      <h3 class="part">{t(say`Response headers`)}</h3>
      <Headers headers={response_headers} />
    </>
  );
}

function CodeButton({ curl }: { readonly curl: string }) {
  return (
    <Floating
      title={t(say`Equivalent command`)}
      isSign
      class="icon"
      button={<Icon path={ICONS.code} />}
      testId="equivalents"
    >
      {() => <Command text={curl} />}
    </Floating>
  );
}

function NoBody() {
  return <p class="dim">{t(say`There was no body, or the sandbox did not store it.`)}</p>;
}

/** The record that a request created or changed; nothing if it did neither. */
export function RecordLink({ request }: { readonly request: WireRequest }) {
  const record = recordOf(request);
  if (!record) return null;
  return (
    <a href={toFragment(record)}>
      {recordNoun(record.pane)} <code>{shortId(record.id)}</code>
    </a>
  );
}
