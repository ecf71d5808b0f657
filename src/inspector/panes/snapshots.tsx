import { useState } from "preact/hooks";
import { Actions, Equivalents } from "../parts/action.tsx";
import { Empty } from "../parts/empty.tsx";
import { Field } from "../parts/field.tsx";
import { keepFocus, Pane } from "../parts/pane.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";
import { Integration, Time } from "../parts/text.tsx";
import type { LocalizedText } from "../../text/localized-text.ts";
import { toSafeLine } from "../../text/safe-text.ts";
import { type Action, run } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { t } from "../state/language.ts";
import { loadSnapshots, payins, payouts, snapshots } from "../state/sandbox.ts";
import { suggestName, wrongName } from "../state/snapshot-form.ts";
import type { WireSnapshot } from "../state/wire.ts";

/** The snapshots, what can be done with them, and the reset. */
export function SnapshotsPane() {
  const all = snapshots.value;
  const title = t({ en: "Snapshots", pt: "Snapshots" });
  return (
    <Pane title={title} note={all.length > 0 ? String(all.length) : undefined}>
      {all.length === 0 ? (
        <div class="empty">
          <Empty
            text={t({
              en: "There are no snapshots. Save one below, or with this command:",
              pt: "Não há snapshots. Salve um abaixo ou com este comando:",
            })}
            command={["snapshot", "save", suggestName(all)]}
          />
        </div>
      ) : (
        <Table
          label={title}
          rows={all}
          columns={columns()}
          idOf={({ name, integration }) => JSON.stringify([integration, name])}
        />
      )}
      <SaveForm />
      <section class="add" aria-labelledby="reset">
        <h3 id="reset">{t({ en: "Reset", pt: "Reset" })}</h3>
        <p>
          {t({
            en: "Deletes records, idempotency keys, faults, the webhook configuration, changed assumptions and pending deliveries, and loads the fixtures again. Snapshots stay.",
            pt: "Apaga registros, chaves de idempotência, falhas, a configuração de webhooks, premissas alteradas e entregas pendentes, e carrega as fixtures de novo. Os snapshots são mantidos.",
          })}
        </p>
        <Actions actions={[reset()]} />
      </section>
    </Pane>
  );
}

const columns = (): readonly TableColumn<WireSnapshot>[] => [
  {
    title: t({ en: "Name", pt: "Nome" }),
    cell: ({ name }) => <code class="anywhere">{name}</code>,
  },
  {
    title: t({ en: "Integration", pt: "Integração" }),
    cell: ({ integration }) => (
      <Integration
        name={integration}
        all={t({ en: "all, with the clock", pt: "todas, com o relógio" })}
      />
    ),
  },
  {
    title: t({ en: "Saved at", pt: "Salvo em" }),
    cell: ({ taken_at }) => <Time at={taken_at} withDate />,
  },
  { title: "Payins", cell: (row) => row.payins },
  { title: "Payouts", cell: (row) => row.payouts },
  { title: "Webhooks", cell: (row) => row.deliveries },
  {
    title: t({ en: "Actions", pt: "Ações" }),
    cell: (row) => <Actions actions={[restoration(row), deletion(row)]} />,
  },
];

/** The form that saves a snapshot. */
function SaveForm() {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const here = snapshots.value.filter(({ integration }) => integration === scope.value);
  const name = typed ?? suggestName(here);
  const wrong = wrongName(name);
  const replaced = here.find((one) => one.name === name);
  const action = saving(name, replaced, () => setTyped(undefined));
  return (
    <form
      class="add"
      noValidate
      aria-labelledby="save"
      onSubmit={(event) => {
        event.preventDefault();
        if (wrong) event.currentTarget.querySelector("input")?.focus();
        else void run(action);
      }}
    >
      <h3 id="save">{t({ en: "Save a snapshot", pt: "Salvar um snapshot" })}</h3>
      <p>
        {t({
          en: `Saves all records ${of(scope.value).en} (${counts().en}).`,
          pt: `Salva todos os registros ${of(scope.value).pt} (${counts().pt}).`,
        })}
      </p>
      <div class="fields">
        <Field
          label={t({ en: "Name", pt: "Nome" })}
          error={wrong && t(wrong)}
          hint={
            replaced &&
            t({
              en: "A snapshot with this name exists; it will be replaced.",
              pt: "Já existe um snapshot com este nome; ele será substituído.",
            })
          }
        >
          {(attributes) => (
            <input
              {...attributes}
              value={name}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              data-testid="snapshot-name"
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
      </div>
      {!wrong && <Equivalents action={action} />}
      <div class="buttons">
        <button type="submit" class="main" data-testid="snapshot-save">
          {t({ en: "Save", pt: "Salvar" })}
        </button>
      </div>
    </form>
  );
}

function saving(name: string, replaced: WireSnapshot | undefined, onSaved: () => void): Action {
  return {
    label: t({ en: "Save", pt: "Salvar" }),
    method: "PUT",
    path: `/snapshots/${encodeURIComponent(name)}`,
    command: ["snapshot", "save", name],
    ...(replaced && {
      question: t({
        en: `Replace the snapshot "${name}" (${countsOf(replaced).en})?`,
        pt: `Substituir o snapshot "${name}" (${countsOf(replaced).pt})?`,
      }),
    }),
    onDone: async () => {
      onSaved();
      await loadSnapshots();
    },
  };
}

function restoration(snapshot: WireSnapshot): Action {
  const { name, integration } = snapshot;
  // The page knows the present counts only of what it shows.
  const now = integration === scope.value ? counts() : undefined;
  const records = (language: "en" | "pt"): string =>
    of(integration)[language] + (now ? ` (${now[language]})` : "");
  const clock = integration === null;
  return {
    label: t({ en: "Restore", pt: "Restaurar" }),
    method: "POST",
    path: `/snapshots/${encodeURIComponent(name)}/restore`,
    command: ["snapshot", "restore", name],
    integration,
    question: t({
      en: `Restore "${name}"? The records of the snapshot (${countsOf(snapshot).en}) replace all records ${records("en")}${clock ? ", and the clock is set to its time" : ""}.`,
      pt: `Restaurar "${name}"? Os registros do snapshot (${countsOf(snapshot).pt}) substituem todos os registros ${records("pt")}${clock ? ", e o relógio volta à hora dele" : ""}.`,
    }),
    onDone: loadSnapshots,
  };
}

function deletion(snapshot: WireSnapshot): Action {
  const { name, integration } = snapshot;
  return {
    label: t({ en: "Delete", pt: "Apagar" }),
    method: "DELETE",
    path: `/snapshots/${encodeURIComponent(name)}`,
    command: ["snapshot", "delete", name],
    integration,
    question: t({
      en: `Delete the snapshot "${name}" ${of(integration).en} (${countsOf(snapshot).en})?`,
      pt: `Apagar o snapshot "${name}" ${of(integration).pt} (${countsOf(snapshot).pt})?`,
    }),
    onDone: async () => {
      await loadSnapshots();
      keepFocus();
    },
  };
}

/** Back to the fixtures, for the integration that the page shows or for all. */
function reset(): Action {
  const integration = scope.value;
  const name = toSafeLine(integration ?? "");
  return {
    label:
      integration === null
        ? t({ en: "Reset everything", pt: "Resetar tudo" })
        : t({ en: `Reset ${name}`, pt: `Resetar ${name}` }),
    method: "POST",
    path: "/reset",
    command: ["reset"],
    integration,
    question:
      integration === null
        ? t({
            en: `Reset everything? This deletes the records of all integrations (${counts().en}) and sets the clock back to its start.`,
            pt: `Resetar tudo? Isso apaga os registros de todas as integrações (${counts().pt}), e o relógio volta ao início.`,
          })
        : t({
            en: `Reset ${name}? This deletes the records of this integration (${counts().en}).`,
            pt: `Resetar ${name}? Isso apaga os registros desta integração (${counts().pt}).`,
          }),
  };
}

function of(integration: string | null): LocalizedText {
  if (integration === null) return { en: "of all integrations", pt: "de todas as integrações" };
  const name = toSafeLine(integration);
  return { en: `of the integration ${name}`, pt: `da integração ${name}` };
}

/** How many records there are now. */
function counts(): LocalizedText {
  const text = `payins: ${payins.total.value}, payouts: ${payouts.total.value}`;
  return { en: text, pt: text };
}

function countsOf({ payins: ins, payouts: outs, deliveries }: WireSnapshot): LocalizedText {
  const text = `payins: ${ins}, payouts: ${outs}, webhooks: ${deliveries}`;
  return { en: text, pt: text };
}
