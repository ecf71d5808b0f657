import { useEffect, useRef, useState } from "preact/hooks";
import {
  type EffectKind,
  effectKindsOn,
  type EffectRow,
  EFFECTS,
  FAULT_PLACES,
  type FaultPlace,
} from "../../core/faults/effects.ts";
import { TOP_LEVEL_CODES } from "../../core/records/errors.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { MAX_FAULT_TIMES } from "../../core/faults/fault.ts";
import { EquivalentsButton } from "../parts/action.tsx";
import { EFFECT_NAMES, PLACE_NAMES, VALUE_NAMES } from "../parts/fault-names.ts";
import { type ControlAttributes, Field } from "../parts/field.tsx";
import { Prose } from "../parts/prose.tsx";
import { type Action, run } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import {
  emptyFaultForm,
  type FaultField,
  type FaultForm,
  membersOf,
  readFaultForm,
  textOf,
  withKind,
  withMatch,
  withName,
  withPlace,
} from "../state/fault-form.ts";
import { t } from "../state/language.ts";
import { integrations, loadFaults } from "../state/sandbox.ts";
import { say } from "../../text/message.ts";

/** The form that adds a fault. It offers only what is valid, and shows the equivalent commands. */
export function FaultFormView() {
  const [form, setForm] = useState(() => emptyFaultForm(scope.value));
  const [isSubmitted, setSubmitted] = useState(false);
  const [added, setAdded] = useState<string>();
  const shown = scope.value;
  useEffect(() => setForm((before) => ({ ...before, integration: shown })), [shown]);
  const reading = readFaultForm(form);
  const change = (next: FaultForm): void => {
    setForm(next);
    setAdded(undefined);
  };
  // A field that was not filled in yet is not wrong yet. The error appears while the user types: if it appeared when
  // the field loses the focus, it would move the button that is being clicked.
  const errorOf = (field: FaultField): string | undefined => {
    const error = "errors" in reading ? reading.errors[field] : undefined;
    return error && (isSubmitted || textOf(form, field) !== "") ? t(error) : undefined;
  };
  const action = "body" in reading ? addition(form, reading) : undefined;
  return (
    <form
      class="add"
      noValidate
      aria-labelledby="add-fault"
      data-testid="fault-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (action) {
          setSubmitted(false);
          void run({
            ...action,
            onDone: async () => {
              setAdded(t(say`Added.`));
              await loadFaults();
            },
          });
          return;
        }
        setSubmitted(true);
        const element = event.currentTarget;
        requestAnimationFrame(() =>
          requestAnimationFrame(() =>
            element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
          ),
        );
      }}
    >
      <h3 id="add-fault">{t(say`Add a fault`)}</h3>
      <div class="fields">
        <Field label={t(say`Acts on`)}>
          {(attributes) => (
            <select
              {...attributes}
              value={form.on}
              data-testid="fault-on"
              onChange={(event) => {
                change(withPlace(form, event.currentTarget.value as FaultPlace));
                setSubmitted(false);
              }}
            >
              {FAULT_PLACES.map((place) => (
                <option key={place} value={place}>
                  {t(PLACE_NAMES[place])}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label={t(say`Effect`)}
          hint={
            <>
              <Prose text={t(EFFECTS[form.kind].summary)} /> <code>{form.kind}</code>
            </>
          }
        >
          {(attributes) => (
            <select
              {...attributes}
              value={form.kind}
              data-testid="fault-effect"
              onChange={(event) => {
                change(withKind(form, event.currentTarget.value as EffectKind));
                setSubmitted(false);
              }}
            >
              {effectKindsOn(form.on).map((kind) => (
                <option key={kind} value={kind}>
                  {t(EFFECT_NAMES[kind])}
                </option>
              ))}
            </select>
          )}
        </Field>
        <ValueField
          form={form}
          error={errorOf("value")}
          onInput={(value) => change({ ...form, value })}
        />
        <Field
          label={t(say`Times (optional)`)}
          hint={t(say`1 to ${MAX_FAULT_TIMES}. Empty: no limit.`)}
          error={errorOf("times")}
        >
          {(attributes) => (
            <input
              {...attributes}
              inputMode="numeric"
              autocomplete="off"
              value={form.times}
              data-testid="fault-times"
              onInput={(event) => change({ ...form, times: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field
          label={t(say`Probability (optional)`)}
          hint={t(say`0 to 1. The seed determines the draws. Empty: always.`)}
          error={errorOf("probability")}
        >
          {(attributes) => (
            <input
              {...attributes}
              inputMode="decimal"
              autocomplete="off"
              value={form.probability}
              data-testid="fault-probability"
              onInput={(event) => change({ ...form, probability: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field
          label={t(say`Integration`)}
          hint={
            scope.value !== null && form.integration !== scope.value
              ? t(say`The list above shows only one integration. This fault will not be in it.`)
              : undefined
          }
        >
          {(attributes) => (
            <select
              {...attributes}
              value={form.integration ?? ""}
              data-testid="fault-integration"
              onChange={(event) =>
                change({ ...form, integration: event.currentTarget.value || null })
              }
            >
              <option value="">{t(say`all`)}</option>
              {[
                ...new Set([
                  ...integrations.value,
                  ...(form.integration === null ? [] : [form.integration]),
                ]),
              ].map((one) => (
                <option key={one} value={one}>
                  {toSafeLine(one)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <MatchFields form={form} onChange={change} errorOf={errorOf} />
      <div class="buttons">
        <button type="submit" class="main" data-testid="fault-add">
          {t(say`Add`)}
        </button>
        {action && <EquivalentsButton actions={[action]} />}
        <span role="status" class="added">
          {added}
        </span>
      </div>
    </form>
  );
}

/** The control that fits the effect's value; nothing for an effect without one. */
function ValueField(props: {
  readonly form: FaultForm;
  readonly error: string | undefined;
  readonly onInput: (value: string) => void;
}) {
  const { form, error, onInput } = props;
  const { value }: EffectRow = EFFECTS[form.kind];
  if (!value) return null;
  const label = t(VALUE_NAMES[form.kind] ?? say`Value`);
  const attributesOf = (attributes: ControlAttributes) => ({
    ...attributes,
    value: form.value,
    "data-testid": "fault-value",
  });
  if (value.placeholder === "CODE")
    return (
      <Field label={label} error={error}>
        {(attributes) => (
          <select
            {...attributesOf(attributes)}
            onChange={(event) => onInput(event.currentTarget.value)}
          >
            {TOP_LEVEL_CODES.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        )}
      </Field>
    );
  return (
    <Field
      label={`${label} (${t(value.range)})`}
      error={error}
      isWide={value.placeholder === "JSON"}
    >
      {(attributes) =>
        value.placeholder === "N" ? (
          <input
            {...attributesOf(attributes)}
            inputMode="numeric"
            autocomplete="off"
            required
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        ) : (
          <textarea
            {...attributesOf(attributes)}
            rows={3}
            spellcheck={false}
            required
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

/** The rows of members that a request, or an event's data, must have. */
function MatchFields(props: {
  readonly form: FaultForm;
  readonly onChange: (form: FaultForm) => void;
  readonly errorOf: (field: FaultField) => string | undefined;
}) {
  const { form, onChange, errorOf } = props;
  const addButton = useRef<HTMLButtonElement>(null);
  return (
    <fieldset class="match">
      <legend>
        {form.on === "webhook"
          ? t(say`Only for events whose data has (optional)`)
          : t(say`Only for requests whose body has (optional)`)}
      </legend>
      <datalist id="fault-members">
        {membersOf(form.on).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {form.match.map(({ name, value, isJson }, index) => (
        <div key={index} class="fields" role="group" aria-label={`${index + 1}`}>
          <Field label={t(say`Field`)} error={errorOf(`name ${index}`)}>
            {(attributes) => (
              <input
                {...attributes}
                list="fault-members"
                autocomplete="off"
                value={name}
                data-testid="match-name"
                onInput={(event) => onChange(withName(form, index, event.currentTarget.value))}
              />
            )}
          </Field>
          <Field label={t(say`Value`)} error={errorOf(`match ${index}`)}>
            {(attributes) => (
              <input
                {...attributes}
                autocomplete="off"
                value={value}
                data-testid="match-value"
                onInput={(event) =>
                  onChange(withMatch(form, index, { value: event.currentTarget.value }))
                }
              />
            )}
          </Field>
          <Field label={t(say`Type`)}>
            {(attributes) => (
              <select
                {...attributes}
                value={isJson ? "json" : "text"}
                data-testid="match-type"
                onChange={(event) =>
                  onChange(withMatch(form, index, { isJson: event.currentTarget.value === "json" }))
                }
              >
                <option value="text">{t(say`text`)}</option>
                <option value="json">{t(say`JSON: number, true, …`)}</option>
              </select>
            )}
          </Field>
          <button
            type="button"
            class="bare"
            onClick={() => {
              onChange({ ...form, match: form.match.filter((_, at) => at !== index) });
              addButton.current?.focus();
            }}
          >
            {t(say`Remove field`)}
          </button>
        </div>
      ))}
      <button
        ref={addButton}
        type="button"
        data-testid="match-add"
        onClick={() =>
          onChange({ ...form, match: [...form.match, { name: "", value: "", isJson: false }] })
        }
      >
        {t(say`Add a field`)}
      </button>
    </fieldset>
  );
}

function addition(
  { integration }: FaultForm,
  { body, command }: Exclude<ReturnType<typeof readFaultForm>, { errors: unknown }>,
): Action {
  return {
    label: t(say`Add the fault`),
    method: "POST",
    path: "/faults",
    body,
    command,
    integration,
  };
}
