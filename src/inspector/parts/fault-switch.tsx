import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type Action, run } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { isArmed } from "../state/fault-form.ts";
import { addPreset, presets } from "../state/fault-presets.ts";
import { t } from "../state/language.ts";
import { Floating } from "./floating.tsx";
import { ICONS, Icon } from "./icon.tsx";
import { faults, loadFaults } from "../state/sandbox.ts";
import type { WireFault } from "../state/wire.ts";
import { plural, say } from "../../text/message.ts";

/** The presets, one click each, behind the number of armed faults; and the switch that removes those. */
export function FaultSwitch() {
  const { length } = faults.value.filter(isArmed);
  const removable = faults.value.filter(isRemovable).length;
  const turnOff = t(say`Turn off all faults`);
  const action: Action = {
    ...clearFaults(removable),
    onDone: async () => {
      await loadFaults();
      // The button that had the focus is gone.
      focusMain();
    },
  };
  return (
    <div class={length > 0 ? "fault-switch armed" : "fault-switch"}>
      <Floating
        title={t(say`Add a fault`)}
        isSign={length === 0}
        class="icon"
        button={
          <>
            <Icon path={ICONS.fault} />
            {length > 0 && (
              <>
                <span class="roomy" data-testid="fault-count">
                  {t(
                    plural(length, say`${length} simulated fault`, say`${length} simulated faults`),
                  )}
                </span>
                <span class="tight" aria-hidden="true">
                  {length}
                </span>
              </>
            )}
          </>
        }
        testId="fault-menu"
      >
        {(close) => (
          <div class="menu" onClick={close}>
            {presets().map((preset) => (
              <button key={preset.body.effect} type="button" onClick={() => void addPreset(preset)}>
                {t(preset.name)}
              </button>
            ))}
            <hr />
            <a href="#/faults">{t(say`Faults`)}</a>
          </div>
        )}
      </Floating>
      {removable > 0 && (
        <button
          type="button"
          class="icon wide-only"
          aria-label={turnOff}
          title={turnOff}
          onClick={() => void run(action)}
        >
          <Icon path={ICONS.close} />
        </button>
      )}
    </div>
  );
}

function focusMain(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>(".top-end button")?.focus();
  });
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
    isDanger: true,
    question: t(
      name === undefined
        ? say`Remove all faults (${count})? The calls that they hold continue.`
        : say`Remove all faults of ${name} (${count})? The calls that they hold continue.`,
    ),
  };
}
