import { t } from "../state/language.ts";
import { connection, isPaused, pause, resume, retryNow, waiting } from "../state/live.ts";
import { say } from "../../text/message.ts";

/** Whether the page is up to date, by word, and the switch that pauses it. */
export function LiveStatus() {
  const status = connection.value;
  const isLive = status === "live";
  return (
    <div class="live">
      <span
        class={`live-mark ${isLive && isPaused.value ? "paused" : status}`}
        role="status"
        data-testid="live-status"
      >
        {textOf(status)}
      </span>
      {isLive && isPaused.value && waiting.value > 0 && (
        <span data-testid="waiting-events">{t(say`${waiting.value} new`)}</span>
      )}
      {isLive && (
        <button type="button" class="small" onClick={isPaused.value ? resume : pause}>
          {isPaused.value ? t(say`Resume`) : t(say`Pause`)}
        </button>
      )}
      {status === "lost" && (
        <button type="button" class="small" onClick={retryNow}>
          {t(say`Try now`)}
        </button>
      )}
    </div>
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
