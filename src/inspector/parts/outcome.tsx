import { t } from "../state/language.ts";
import type { WireRequest } from "../state/wire.ts";
import { Outside } from "./text.tsx";
import { say } from "../../text/message.ts";

/** The HTTP status of a response by number and shape, or the reason for which there was none. */
export function Outcome({
  status,
  error,
}: {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
}) {
  const isGood = isSuccess(status);
  return (
    <strong class={`status ${isGood ? "good" : "bad"}`} data-testid="outcome">
      <span aria-hidden="true">{isGood ? "●" : "✕"}</span>{" "}
      {status === undefined ? <Outside text={error ?? ""} /> : status}
    </strong>
  );
}

/** The outcome of a request for its client, which has seen no status of a lost response. */
export function RequestOutcome({ request: { status, lost } }: { readonly request: WireRequest }) {
  return lost ? <Outcome error={t(say`lost`)} /> : <Outcome status={status} />;
}

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status < 300;
}
