import { type Action, run } from "./state/actions.ts";
import { t } from "./state/language.ts";
import { faults } from "./state/sandbox.ts";

/** The number of armed faults, and the switch that removes all of them. It is always visible. */
export function FaultSwitch() {
  const { length } = faults.value;
  return (
    <div class={length > 0 ? "fault-switch armed" : "fault-switch"}>
      <a href="#/faults" data-testid="fault-count">
        {length === 0
          ? t({ en: "No faults", pt: "Nenhuma falha" })
          : t({
              en: `⚠ ${length} ${length === 1 ? "fault" : "faults"} armed`,
              pt: `⚠ ${length} ${length === 1 ? "falha armada" : "falhas armadas"}`,
            })}
      </a>
      {length > 0 && (
        <button type="button" class="small" onClick={() => void run(clearFaults(length))}>
          {t({ en: "Turn off", pt: "Desativar" })}
        </button>
      )}
    </div>
  );
}

/** Removes all faults. */
export function clearFaults(count: number): Action {
  return {
    label: t({ en: "Turn off all faults", pt: "Desativar todas as falhas" }),
    method: "DELETE",
    path: "/faults",
    command: ["faults", "clear"],
    question: t({
      en: `Remove all faults (${count})? Calls that they hold continue.`,
      pt: `Remover todas as falhas (${count})? As chamadas retidas continuam.`,
    }),
  };
}
