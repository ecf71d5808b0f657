import { useState } from "preact/hooks";
import { EquivalentsButton } from "../parts/action.tsx";
import { DetailHead } from "../parts/detail.tsx";
import { Field } from "../parts/field.tsx";
import type { Action } from "../state/actions.ts";
import { create, samplePayin, samplePayout } from "../state/creation.ts";
import { callingIntegration } from "../state/gateway.ts";
import { locale, t } from "../state/language.ts";
import { NEW } from "../state/place.ts";
import { isInCentavos } from "../state/sandbox.ts";
import { type Message, say } from "../../text/message.ts";

/** A field of a form that creates a record: a member of the request, and the command's option. */
interface FormField {
  readonly name: string;
  readonly label: Message;
  readonly mode?: "decimal" | "numeric" | "email" | "url";
  readonly isWide?: boolean;
  /** The choices, by what the request contains. */
  readonly options?: Readonly<Record<string, Message>>;
  /** Whether the request leaves it out if it is empty. */
  readonly isOptional?: boolean;
}

const PERSON = (noun: "buyer" | "receiver", name: Message): readonly FormField[] => [
  { name: `${noun}_name`, label: name },
  { name: `${noun}_cpf`, label: say`CPF`, mode: "numeric" },
  { name: `${noun}_email`, label: say`E-mail`, mode: "email" },
];
const VALUE: FormField = { name: "value", label: say`Value (R$)`, mode: "decimal" };
const WEBHOOK: FormField = {
  name: "webhook_url",
  label: say`Webhook URL`,
  mode: "url",
  isWide: true,
};
const DESCRIPTION: FormField = {
  name: "description",
  label: say`Description (optional)`,
  isOptional: true,
};

/** The form that creates a payin; all fields have sample values. */
export function NewPayin() {
  return (
    <NewRecord
      pane="payins"
      title={t(say`New payin`)}
      sample={{ ...samplePayin(), expiration: 1800 }}
      fields={[
        VALUE,
        { name: "expiration", label: say`Expires after (seconds)`, mode: "numeric" },
        ...PERSON("buyer", say`Buyer`),
        DESCRIPTION,
        WEBHOOK,
      ]}
    />
  );
}

/** The form that creates a payout. */
export function NewPayout() {
  return (
    <NewRecord
      pane="payouts"
      title={t(say`New payout`)}
      sample={samplePayout()}
      fields={[
        VALUE,
        ...PERSON("receiver", say`Receiver`),
        { name: "pix_key", label: say.for("label")`Pix key` },
        { name: "pix_key_type", label: say`Type of the Pix key`, options: PIX_KEY_TYPES },
        DESCRIPTION,
        WEBHOOK,
      ]}
    />
  );
}

export const PIX_KEY_TYPES: Readonly<Record<string, Message>> = {
  cpf: say`CPF`,
  email: say`E-mail`,
  phone: say`Phone`,
  evp: say`Random key`,
};

type Texts = Readonly<Record<string, string>>;

function NewRecord(props: {
  readonly pane: "payins" | "payouts";
  readonly title: string;
  readonly sample: Readonly<Record<string, string | number>>;
  readonly fields: readonly FormField[];
}) {
  const { pane, title, sample, fields } = props;
  const [texts, setTexts] = useState<Texts>(() => textsOf(sample));
  const [refusal, setRefusal] = useState<string>();
  const body = bodyOf(texts, fields);
  const submit = async (isPaid: boolean): Promise<void> =>
    setRefusal(await create(pane, body, { isPaid }));
  return (
    <form
      noValidate
      data-testid="new-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(false);
      }}
    >
      <DetailHead
        id={NEW}
        title={title}
        about={t(
          say`The fields have sample values. The gateway checks them as it checks your program's.`,
        )}
        actions={<EquivalentsButton actions={[actionOf(pane, title, body, fields)]} />}
      />
      <div class="fields">
        {fields.map(({ name, label, mode, options, isWide = false }) => (
          <Field key={name} label={t(label)} isWide={isWide}>
            {(attributes) => {
              const common = {
                ...attributes,
                value: texts[name] ?? "",
                "data-testid": `new-${name}`,
                onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
                  setTexts({ ...texts, [name]: event.currentTarget.value }),
              };
              if (!options)
                return <input {...common} inputMode={mode} autocomplete="off" spellcheck={false} />;
              return (
                <select {...common}>
                  {Object.entries(options).map(([value, text]) => (
                    <option key={value} value={value}>
                      {t(text)}
                    </option>
                  ))}
                </select>
              );
            }}
          </Field>
        ))}
      </div>
      {refusal !== undefined && (
        <p class="refusal" role="alert" data-testid="new-refusal">
          {refusal}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="main" data-testid="create">
          {t(say`Create`)}
        </button>
        {pane === "payins" && (
          <button type="button" data-testid="create-and-pay" onClick={() => void submit(true)}>
            {t(say`Create and pay`)}
          </button>
        )}
      </div>
    </form>
  );
}

/** The sample values as texts; an amount in the language's way. */
function textsOf({ value, ...others }: Readonly<Record<string, string | number>>): Texts {
  const reais = new Intl.NumberFormat(locale(), { minimumFractionDigits: 2 });
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, text]) => [name, String(text)])),
    value: reais.format(Number(value)),
  };
}

/** The request. What is no number is sent as it is: the gateway says what is wrong with it. */
function bodyOf(texts: Texts, fields: readonly FormField[]): Readonly<Record<string, unknown>> {
  const entries = fields
    .map(({ name, isOptional }) => ({ name, isOptional, text: texts[name]?.trim() ?? "" }))
    .filter(({ isOptional, text }) => !isOptional || text !== "")
    .map(({ name, text }) => [name, readValue(name, text)] as const);
  return Object.fromEntries(entries);
}

function readValue(name: string, text: string): string | number {
  if (name !== "value" && name !== "expiration") return text;
  // In Portuguese a comma is before the decimals.
  const number = Number(text.replace(",", "."));
  if (text === "" || Number.isNaN(number)) return text;
  return name === "value" && isInCentavos.value ? Math.round(number * 100) : number;
}

function actionOf(
  pane: "payins" | "payouts",
  label: string,
  body: Readonly<Record<string, unknown>>,
  fields: readonly FormField[],
): Action {
  const options = fields
    .filter(({ name }) => body[name] !== undefined)
    .flatMap(({ name }) => [`--${name.replaceAll("_", "-")}`, String(body[name])]);
  return {
    label,
    method: "POST",
    path: `/v1/${pane}`,
    body,
    isGateway: true,
    command: [pane === "payins" ? "payin" : "payout", "create", ...options],
    integration: callingIntegration(),
  };
}
