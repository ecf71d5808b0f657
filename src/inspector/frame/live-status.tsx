import { t } from "../state/language.ts";
import { connection, isPaused, pause, resume, retryNow, waiting } from "../state/live.ts";

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
        <span data-testid="waiting-events">
          {t({ en: `${waiting.value} new`, pt: `novos: ${waiting.value}` })}
        </span>
      )}
      {isLive && (
        <button type="button" class="small" onClick={isPaused.value ? resume : pause}>
          {isPaused.value ? t({ en: "Resume", pt: "Continuar" }) : t({ en: "Pause", pt: "Pausar" })}
        </button>
      )}
      {status === "lost" && (
        <button type="button" class="small" onClick={retryNow}>
          {t({ en: "Try now", pt: "Tentar agora" })}
        </button>
      )}
    </div>
  );
}

function textOf(status: typeof connection.value): string {
  if (status === "live")
    return isPaused.value ? t({ en: "Paused", pt: "Pausado" }) : t({ en: "Live", pt: "Ao vivo" });
  return t(
    {
      connecting: { en: "Connecting…", pt: "Conectando…" },
      reconnecting: { en: "Reconnecting…", pt: "Reconectando…" },
      lost: {
        en: "Connection lost: is the sandbox running?",
        pt: "Sem conexão: o sandbox está rodando?",
      },
    }[status],
  );
}
