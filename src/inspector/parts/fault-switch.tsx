import { useRef } from "preact/hooks";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type Action, run } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { isArmed } from "../state/fault-form.ts";
import { t } from "../state/language.ts";
import { faults, loadFaults } from "../state/sandbox.ts";
import type { WireFault } from "../state/wire.ts";
import { plural, say } from "../../text/message.ts";

/** The number of armed faults, and the switch that removes them. It is always visible. */
export function FaultSwitch() {
  const { length } = faults.value.filter(isArmed);
  const removable = faults.value.filter(isRemovable).length;
  const link = useRef<HTMLAnchorElement>(null);
  const action: Action = {
    ...clearFaults(removable),
    onDone: async () => {
      await loadFaults();
      // The button that had the focus is gone.
      if (document.activeElement === document.body) link.current?.focus();
    },
  };
  return (
    <div class={length > 0 ? "fault-switch armed" : "fault-switch"}>
      <a ref={link} href="#/faults" data-testid="fault-count">
        {length === 0
          ? t(say`No faults`)
          : t(plural(length, say`⚠ ${length} fault armed`, say`⚠ ${length} faults armed`))}
      </a>
      {length > 0 && removable > 0 && (
        <button type="button" class="small" onClick={() => void run(action)}>
          {t(say`Turn off`)}
        </button>
      )}
    </div>
  );
}

/** Whether the switch removes a fault: with an integration chosen, those of all integrations stay. */
export function isRemovable({ integration }: WireFault): boolean {
  return scope.value === null || integration === scope.value;
}

/** Removes all faults: those of the integration that the page shows, or of all. */
export function clearFaults(count: number): Action {
  const name = scope.value === null ? undefined : toSafeLine(scope.value);
  return {
    label: t(say`Turn off all faults`),
    method: "DELETE",
    path: "/faults",
    command: ["faults", "clear"],
    onDone: loadFaults,
    question: t(
      name === undefined
        ? say`Remove all faults (${count})? The calls that they hold continue.`
        : say`Remove all faults of ${name} (${count})? The calls that they hold continue.`,
    ),
  };
}
