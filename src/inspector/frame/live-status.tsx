import { t } from "../state/language.ts";
import { connection, isPaused, resume, retryNow, waiting } from "../state/live.ts";
import { say } from "../../text/message.ts";

/** Whether the page is up to date: a dot, and a word for screen readers. */
export function LiveMark() {
  const status = connection.value;
  const text = textOf(status);
  return (
    <span
      class={`live-mark ${status === "live" && isPaused.value ? "paused" : status}`}
      role="status"
      title={text}
      data-testid="live-status"
    >
      <span class="unseen">{text}</span>
    </span>
  );
}

/** What the user can do if the page is not up to date; nothing if it is. */
export function LiveNotice() {
  const status = connection.value;
  if (status === "live" && isPaused.value)
    return (
      <aside class="notice live" aria-label={t(say`Connection`)}>
        <span>
          {t(say`Paused`)}
          {waiting.value > 0 && (
            <span data-testid="waiting-events"> · {t(say`${waiting.value} new`)}</span>
          )}
        </span>
        <button type="button" onClick={resume}>
          {t(say`Resume`)}
        </button>
      </aside>
    );
  if (status === "live" || status === "connecting") return null;
  return (
    <aside class="notice live" aria-label={t(say`Connection`)}>
      {textOf(status)}
      {status === "lost" && (
        <button type="button" onClick={retryNow}>
          {t(say`Try now`)}
        </button>
      )}
    </aside>
  );
}

function textOf(status: typeof connection.value): string {
  if (status === "live") return isPaused.value ? t(say`Paused`) : t(say`Live`);
  return t(
    {
      connecting: say`Connecting…`,
      reconnecting: say`Reconnecting…`,
      lost: say`Connection lost: is the sandbox running?`,
    }[status],
  );
}
