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

/** What the specification leaves open, and the choice in force for each gap. */
export function AssumptionsPane() {
  const { status, q } = place.value;
  const all = assumptions.value;
  const isOnlyChanged = status === "changed";
  const shown = all.filter((row) => (!isOnlyChanged || isChanged(row)) && (!q || matches(q, row)));
  const changed = shown.filter(isChanged);
  const title = t({ en: "Assumptions", pt: "Premissas" });
  return (
    <>
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
          {t({ en: "Changed only", pt: "Só as alteradas" })} ({all.filter(isChanged).length})
        </label>
      </div>
      <Pane
        title={title}
        note={t({ en: `${shown.length} of ${all.length}`, pt: `${shown.length} de ${all.length}` })}
      >
        <p class="hint">
          {t({
            en: "Where the gateway's specification is silent, the sandbox makes a choice. ",
            pt: "Onde a especificação do gateway é omissa, o sandbox faz uma escolha. ",
          })}
          {scope.value === null
            ? t({
                en: "A change applies to all integrations that have no changes of their own.",
                pt: "Uma mudança vale para todas as integrações sem mudanças próprias.",
              })
            : t({
                en: "A change applies only to the integration that the page shows.",
                pt: "Uma mudança vale só para a integração que a página mostra.",
              })}
        </p>
        {changed.length > 1 && <Actions actions={[resetChoices(changed, q)]} />}
        {shown.length === 0 ? (
          <div class="empty">
            <p>{t({ en: "Nothing matches the filter.", pt: "Nada corresponde ao filtro." })}</p>
            <button type="button" onClick={() => filter({ status: undefined, q: undefined })}>
              {t({ en: "Clear the filter", pt: "Limpar o filtro" })}
            </button>
          </div>
        ) : (
          <Table label={title} rows={shown} columns={columns()} idOf={({ name }) => name} />
        )}
      </Pane>
    </>
  );
}

const columns = (): readonly TableColumn<WireAssumption>[] => [
  {
    title: t({ en: "Assumption", pt: "Premissa" }),
    cell: (row) => (
      <>
        <code class="anywhere">{row.name}</code>{" "}
        {isChanged(row) && (
          <strong class="changed" data-testid="changed">
            {t({ en: "changed", pt: "alterada" })}
          </strong>
        )}
        <p class="gap">
          <Prose text={row.gap} />
        </p>
      </>
    ),
  },
  {
    title: t({ en: "Choice", pt: "Escolha" }),
    cell: (row) => <Choice row={row} />,
  },
  {
    title: t({ en: "Default", pt: "Padrão" }),
    cell: (row) =>
      isDecision(row) ? (
        <span class="dim">{t({ en: "the only choice", pt: "a única escolha" })}</span>
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
          {t({ en: "Not applied yet. In force: ", pt: "Ainda não aplicada. Em vigor: " })}
          <code>{row.choice}</code>{" "}
          <button
            type="button"
            class="small"
            onClick={() => {
              onCancel(toChoiceForm(row));
              keepFocus(row.name);
            }}
          >
            {t({ en: "Undo", pt: "Desfazer" })}
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
  if (word === "seconds") return t({ en: "seconds", pt: "segundos" });
  return word === "requests" ? t({ en: "requests", pt: "requisições" }) : word;
}

function change({ name }: WireAssumption, choice: string | number): Action {
  return {
    ...patch({ [name]: choice }, name),
    label: t({ en: "Apply", pt: "Aplicar" }),
    isMain: true,
  };
}

function back({ name, default: standard }: WireAssumption): Action {
  return {
    ...patch({ [name]: standard }, name),
    label: t({ en: "Back to the default", pt: "Voltar ao padrão" }),
  };
}

/** Sets the changed choices among those that the filter shows back to their defaults. */
function resetChoices(changed: readonly WireAssumption[], q: string | undefined): Action {
  const { length } = changed;
  const found = q ? t({ en: ` found by "${q}"`, pt: ` encontradas por "${q}"` }) : "";
  return {
    ...patch(toDefaults(changed)),
    label: t({
      en: `Back to the defaults (${length})`,
      pt: `Voltar ao padrão (${length})`,
    }),
    question: t({
      en: `Set ${length} changed assumptions${found} back to their defaults?`,
      pt: `Voltar ${length} premissas alteradas${found} ao padrão?`,
    }),
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
