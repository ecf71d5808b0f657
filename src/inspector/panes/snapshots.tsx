import { useState } from "preact/hooks";
import { Actions, EquivalentsButton } from "../parts/action.tsx";
import { Field } from "../parts/field.tsx";
import { keepFocus, Pane } from "../parts/pane.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";
import { Integration, Time } from "../parts/text.tsx";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { type Action, run } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { counted } from "../state/counted.ts";
import { t } from "../state/language.ts";
import { counts, resetAction } from "../state/reset.ts";
import { loadSnapshots, snapshots } from "../state/sandbox.ts";
import { suggestName, wrongName } from "../state/snapshot-form.ts";
import type { WireSnapshot } from "../state/wire.ts";
import { type Message, say } from "../../text/message.ts";

/** The snapshots, what can be done with them, and the reset. */
export function SnapshotsPane() {
  const all = snapshots.value;
  const title = t(say`Snapshots`);
  return (
    <Pane title={title}>
      <p class="hint">
        {t(say`A snapshot stores all records, so that a test can begin from the same state again.`)}
      </p>
      {all.length > 0 && (
        <Table
          label={title}
          rows={all}
          columns={columns()}
          idOf={({ name, integration }) => JSON.stringify([integration, name])}
        />
      )}
      <SaveForm />
      <section class="add" aria-labelledby="reset">
        <h3 id="reset">{t(say`Reset`)}</h3>
        <p>
          {t(
            say`Deletes records, idempotency keys, faults, the webhook configuration, changed assumptions and pending deliveries, and loads the fixtures again. Snapshots stay.`,
          )}
        </p>
        <Actions actions={[resetAction(scope.value)]} />
      </section>
    </Pane>
  );
}

const columns = (): readonly TableColumn<WireSnapshot>[] => [
  {
    title: t(say`Name`),
    cell: ({ name }) => <code class="anywhere">{name}</code>,
  },
  {
    title: t(say`Integration`),
    cell: ({ integration }) => <Integration name={integration} all={t(say`all, with the clock`)} />,
  },
  {
    title: t(say`Saved at`),
    cell: ({ taken_at }) => <Time at={taken_at} />,
  },
  { title: t(say`Payins`), cell: (row) => row.payins, isNumber: true },
  { title: t(say`Payouts`), cell: (row) => row.payouts, isNumber: true },
  { title: t(say`Webhooks`), cell: (row) => row.deliveries, isNumber: true },
  {
    title: t(say`Actions`),
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
      <h3 id="save">{t(say`Save a snapshot`)}</h3>
      <p>{t(say`Saves all records ${of(scope.value)} (${counts()}).`)}</p>
      <div class="fields">
        <Field
          label={t(say`Name`)}
          error={wrong && t(wrong)}
          hint={replaced && t(say`A snapshot with this name exists; it will be replaced.`)}
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
      <div class="buttons">
        <button type="submit" class="main" data-testid="snapshot-save">
          {t(say`Save`)}
        </button>
        {!wrong && <EquivalentsButton actions={[action]} />}
      </div>
    </form>
  );
}

function saving(name: string, replaced: WireSnapshot | undefined, onSaved: () => void): Action {
  return {
    label: t(say`Save`),
    method: "PUT",
    path: `/snapshots/${encodeURIComponent(name)}`,
    command: ["snapshot", "save", name],
    ...(replaced && {
      question: t(say`Replace the snapshot "${name}" (${countsOf(replaced)})?`),
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
  const records = now ? say`${of(integration)} (${now})` : of(integration);
  const clock = integration === null;
  return {
    label: t(say`Restore`),
    method: "POST",
    path: `/snapshots/${encodeURIComponent(name)}/restore`,
    command: ["snapshot", "restore", name],
    integration,
    isDanger: true,
    question: t(
      clock
        ? say`Restore "${name}"? The records of the snapshot (${countsOf(snapshot)}) replace all records ${records}, and the clock is set to its time.`
        : say`Restore "${name}"? The records of the snapshot (${countsOf(snapshot)}) replace all records ${records}.`,
    ),
    onDone: loadSnapshots,
  };
}

function deletion(snapshot: WireSnapshot): Action {
  const { name, integration } = snapshot;
  return {
    label: t(say`Delete`),
    method: "DELETE",
    path: `/snapshots/${encodeURIComponent(name)}`,
    command: ["snapshot", "delete", name],
    integration,
    isDanger: true,
    question: t(say`Delete the snapshot "${name}" ${of(integration)} (${countsOf(snapshot)})?`),
    onDone: async () => {
      await loadSnapshots();
      keepFocus();
    },
  };
}

function of(integration: string | null): Message {
  if (integration === null) return say`of all integrations`;
  const name = toSafeLine(integration);
  return say`of the integration ${name}`;
}

function countsOf({ payins: ins, payouts: outs, deliveries }: WireSnapshot): Message {
  return say`${counted.payins(ins)}, ${counted.payouts(outs)}, ${counted.webhooks(deliveries)}`;
}
