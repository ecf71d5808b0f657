import { Outside } from "./text.tsx";

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

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status < 300;
}
