import { useEffect, useId, useState } from "preact/hooks";
import { Actions } from "../parts/action.tsx";
import { FieldText } from "../parts/field.tsx";
import { Filter, matches } from "../parts/filter.tsx";
import { keepFocus, Pane } from "../parts/pane.tsx";
import { Prose } from "../parts/prose.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";
import type { Action } from "../state/actions.ts";
import {
  type ChoiceForm,
  isChanged,
  isDecision,
  readChoiceForm,
  splitOption,
  toChoiceForm,
  toDefaults,
} from "../state/assumption-form.ts";
import { scope } from "../state/control.ts";
import { t } from "../state/language.ts";
import { filter, place } from "../state/navigation.ts";
import { assumptions, loadAssumptions } from "../state/sandbox.ts";
import type { WireAssumption } from "../state/wire.ts";
import { fromProfile } from "../../text/terms.ts";
import { say } from "../../text/message.ts";

/** What the specification leaves open, and the choice in force for each gap. */
export function AssumptionsPane() {
  const { status, q } = place.value;
  const all = assumptions.value;
  const isOnlyChanged = status === "changed";
  const shown = all.filter((row) => (!isOnlyChanged || isChanged(row)) && (!q || matches(q, row)));
  const changed = shown.filter(isChanged);
  const title = t(say`Assumptions`);
  return (
    <Pane title={title} note={t(say`${shown.length} of ${all.length}`)}>
      <div class="filters">
        <Filter statuses={[]} />
        <label class="check">
          <input
            type="checkbox"
            checked={isOnlyChanged}
            data-testid="changed-only"
            onChange={(event) =>
              filter({ q, status: event.currentTarget.checked ? "changed" : undefined })
            }
          />
          {t(say`Changed only`)} ({all.filter(isChanged).length})
        </label>
      </div>
      <p class="hint">
        {t(say`Where the gateway's specification is silent, the sandbox makes a choice. `)}
        {scope.value === null
          ? t(say`A change applies to all integrations that have no changes of their own.`)
          : t(say`A change applies only to the integration that the page shows.`)}
      </p>
      {changed.length > 1 && <Actions actions={[resetChoices(changed, q)]} />}
      {shown.length === 0 ? (
        <div class="empty">
          <p>{t(say`Nothing matches the filter.`)}</p>
          <button type="button" onClick={() => filter({ status: undefined, q: undefined })}>
            {t(say`Clear the filter`)}
          </button>
        </div>
      ) : (
        <Table label={title} rows={shown} columns={columns()} idOf={({ name }) => name} />
      )}
    </Pane>
  );
}

const columns = (): readonly TableColumn<WireAssumption>[] => [
  {
    title: t(say`Assumption`),
    cell: (row) => (
      <>
        <code class="anywhere">{row.name}</code>{" "}
        {isChanged(row) && (
          <strong class="changed-word" data-testid="changed">
            {t(say.for("assumption")`changed`)}
          </strong>
        )}
        <p class="gap">
          <Prose text={row.gap} />
        </p>
        {row.profile !== undefined && (
          <p class="hint" data-testid="profile">
            {t(fromProfile(row.profile, row.observed))}
          </p>
        )}
      </>
    ),
  },
  {
    title: t(say`Choice`),
    cell: (row) => <Choice row={row} />,
  },
  {
    title: t(say`Default`),
    cell: (row) =>
      isDecision(row) ? (
        <span class="dim">{t(say`the only choice`)}</span>
      ) : (
        <code>{row.default}</code>
      ),
  },
];

/** The choice in force, and the control that changes it. */
function Choice({ row }: { readonly row: WireAssumption }) {
  const [form, setForm] = useState(() => toChoiceForm(row));
  // Another choice is in force: it was changed here, by a command or by a reset.
  useEffect(() => setForm(toChoiceForm(row)), [row.choice]);
  const help = useId();
  const options = Object.keys(row.choices);
  const number = splitOption(form.option);
  const reading = readChoiceForm(row, form);
  const wrong = "refusal" in reading ? t(reading.refusal) : undefined;
  const isPending = !("choice" in reading) || reading.choice !== row.choice;
  const meaning = row.choices[form.option];
  // A row with one choice documents a decision.
  if (isDecision(row)) return <Prose text={meaning ?? String(row.choice)} />;
  return (
    <>
      <div class="choice">
        {options.length > 1 && (
          <select
            aria-label={row.name}
            aria-describedby={help}
            value={form.option}
            onChange={(event) => setForm({ ...form, option: event.currentTarget.value })}
          >
            {options.map((option) => (
              <option key={option} value={option}>
                {option}
              </option>
            ))}
          </select>
        )}
        {number && (
          <>
            <input
              aria-label={`${row.name}: ${unitOf(number.unit)}`}
              aria-describedby={wrong === undefined ? help : `${help}-error ${help}`}
              aria-invalid={wrong === undefined ? undefined : true}
              inputMode="numeric"
              autocomplete="off"
              size={8}
              value={form.number}
              onInput={(event) => setForm({ ...form, number: event.currentTarget.value })}
            />
            <span>{unitOf(number.unit)}</span>
          </>
        )}
      </div>
      {wrong !== undefined && <FieldText id={`${help}-error`} error={wrong} />}
      <FieldText id={help} hint={<Prose text={meaning ?? ""} />} />
      <ChoiceActions row={row} form={form} isPending={isPending} onCancel={setForm} />
    </>
  );
}

function ChoiceActions(props: {
  readonly row: WireAssumption;
  readonly form: ChoiceForm;
  readonly isPending: boolean;
  readonly onCancel: (form: ChoiceForm) => void;
}) {
  const { row, form, isPending, onCancel } = props;
  const reading = readChoiceForm(row, form);
  return (
    <>
      {isPending && (
        <p class="pending" data-testid="pending">
          {t(say`Not applied yet. In force: `)}
          <code>{row.choice}</code>{" "}
          <button
            type="button"
            class="bare"
            onClick={() => {
              onCancel(toChoiceForm(row));
              keepFocus(row.name);
            }}
          >
            {t(say`Undo`)}
          </button>
        </p>
      )}
      <Actions
        actions={[
          ...(isPending && "choice" in reading ? [change(row, reading.choice)] : []),
          ...(isChanged(row) ? [back(row)] : []),
        ]}
      />
    </>
  );
}

/** What a number counts: the word between angle brackets in the name of a choice. */
function unitOf(word: string): string {
  if (word === "seconds") return t(say`seconds`);
  return word === "requests" ? t(say`requests`) : word;
}

function change({ name }: WireAssumption, choice: string | number): Action {
  return {
    ...patch({ [name]: choice }, name),
    label: t(say`Apply`),
    isMain: true,
  };
}

function back({ name, default: standard }: WireAssumption): Action {
  return {
    ...patch({ [name]: standard }, name),
    label: t(say`Back to the default`),
  };
}

/** Sets the changed choices among those that the filter shows back to their defaults. */
function resetChoices(changed: readonly WireAssumption[], q: string | undefined): Action {
  const { length } = changed;
  const found = q ? t(say` found by "${q}"`) : "";
  return {
    ...patch(toDefaults(changed)),
    label: t(say`Back to the defaults (${length})`),
    question: t(say`Set ${length} changed assumptions${found} back to their defaults?`),
  };
}

/** No command changes the assumptions of a running sandbox. */
function patch(
  body: Readonly<Record<string, string | number>>,
  row?: string,
): Omit<Action, "label"> {
  return {
    method: "PATCH",
    path: "/assumptions",
    body,
    command: undefined,
    onDone: async () => {
      await loadAssumptions();
      keepFocus(row);
    },
  };
}
