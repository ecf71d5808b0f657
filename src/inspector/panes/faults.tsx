import { partsOf, readEffect } from "../../core/faults/effects.ts";
import { clearFaults, isRemovable } from "../parts/fault-switch.tsx";
import { Actions, EquivalentsButton } from "../parts/action.tsx";
import { EFFECT_NAMES, PLACE_NAMES } from "../parts/fault-names.ts";
import { keepFocus, Pane } from "../parts/pane.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";
import { Integration, Outside } from "../parts/text.tsx";
import type { Action } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { isArmed } from "../state/fault-form.ts";
import { addPreset, presetAction, presets } from "../state/fault-presets.ts";
import { locale, t } from "../state/language.ts";
import { faults, loadFaults } from "../state/sandbox.ts";
import type { WireFault } from "../state/wire.ts";
import { FaultFormView } from "./fault-form.tsx";
import { say } from "../../text/message.ts";

/** The faults in the order in which they apply, and a form that adds one. */
export function FaultsPane() {
  const all = faults.value;
  const title = t(say`Faults`);
  const removable = all.filter(isRemovable).length;
  return (
    <Pane title={title}>
      <Presets />
      {all.length > 0 && (
        <>
          <p class="hint">
            {t(say`If several faults match a call or a webhook, only the first one applies.`)}
          </p>
          <Table label={title} rows={all} columns={columns()} idOf={({ id }) => id} />
          {removable > 0 && <Actions actions={[withFocus(clearFaults(removable))]} />}
        </>
      )}
      {scope.value !== null && (
        <p class="hint">
          {t(
            say`The list contains the faults of all integrations too, since they act on the calls of this one.`,
          )}
        </p>
      )}
      <FaultFormView />
    </Pane>
  );
}

const columns = (): readonly TableColumn<WireFault>[] => [
  {
    title: t(say`Effect`),
    cell: ({ on, effect }) => <Effect on={on} text={effect} />,
  },
  {
    title: t(say`Only if`),
    cell: ({ match }) =>
      match === undefined ? (
        t(say`any`)
      ) : (
        <ul class="anywhere">
          {Object.entries(match).map(([name, value]) => (
            <li key={name}>
              <code>
                <Outside text={`${name} = ${JSON.stringify(value)}`} />
              </code>
            </li>
          ))}
        </ul>
      ),
  },
  {
    title: t(say`Times left`),
    isNumber: true,
    cell: (fault) => (isArmed(fault) ? (fault.times ?? t(say`no limit`)) : t(say`0: used up`)),
  },
  { title: t(say`Uses`), isNumber: true, cell: ({ used }) => used },
  {
    title: t(say`Probability`),
    isNumber: true,
    cell: ({ probability = 1 }) =>
      new Intl.NumberFormat(locale(), { maximumFractionDigits: 6 }).format(probability),
  },
  {
    title: t(say`Integration`),
    cell: ({ integration }) => <Integration name={integration} all={t(say`all`)} />,
  },
  {
    title: t(say`Actions`),
    cell: (fault) => (
      <>
        <HeldCalls fault={fault} />
        <Actions
          actions={fault.held?.length ? [releaseAll(fault), removal(fault)] : [removal(fault)]}
        />
      </>
    ),
  },
];

/** Faults that are often wanted, each by one click. */
function Presets() {
  return (
    <div class="buttons" data-testid="presets">
      {presets().map((preset) => (
        <button key={preset.body.effect} type="button" onClick={() => void addPreset(preset)}>
          {t(preset.name)}
        </button>
      ))}
      <EquivalentsButton actions={presets().map(presetAction)} />
    </div>
  );
}

/** What a fault does, where, and its text. */
function Effect({ on, text }: Readonly<{ on: WireFault["on"]; text: string }>) {
  const effect = readEffect(text);
  return (
    <>
      {effect !== undefined && <strong>{t(EFFECT_NAMES[partsOf(effect).kind])}</strong>}{" "}
      <span class="dim">{t(PLACE_NAMES[on])}</span>
      <p class="hint anywhere">
        <code>
          {on} <Outside text={text} />
        </code>
      </p>
    </>
  );
}

/** The calls that a fault holds, in the order of their arrival. */
function HeldCalls({ fault }: { readonly fault: WireFault }) {
  const { held } = fault;
  if (held === undefined) return null;
  if (held.length === 0) return <p class="hint">{t(say`No held calls.`)}</p>;
  return (
    <ol class="held" start={0} aria-label={t(say`Held calls`)}>
      {held.map(({ idempotency_key }, index) => (
        <li key={`${index} ${idempotency_key}`}>
          <span class="anywhere">
            {idempotency_key === null ? (
              t(say`a simulation`)
            ) : (
              <code>
                <Outside text={idempotency_key} />
              </code>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function removal({ id, integration, held = [] }: WireFault): Action {
  return withFocus({
    label: t(say`Remove`),
    method: "DELETE",
    path: `/faults/${id}`,
    command: ["faults", "remove", id],
    isDanger: true,
    integration,
    ...(held.length > 0 && {
      question: t(say`Remove the fault? The calls that it holds (${held.length}) continue.`),
    }),
    onDone: loadFaults,
  });
}

/** Releases the held calls in the order of their arrival. */
function releaseAll({ id, integration, held = [] }: WireFault): Action {
  const action: Action = {
    label: t(say`Release in order (${held.length})`),
    method: "POST",
    path: `/faults/${id}/release`,
    command: ["faults", "release", id],
    integration,
    isMain: true,
    onDone: loadFaults,
  };
  return withFocus(action, id);
}

/** Afterwards the focus stays in the row, if it is still there. */
function withFocus(action: Action, row?: string): Action {
  return {
    ...action,
    onDone: async () => {
      await action.onDone?.();
      keepFocus(row);
    },
  };
}
