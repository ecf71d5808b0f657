import { EFFECTS, readEffect } from "../../core/faults/effects.ts";
import { clearFaults, isRemovable } from "../parts/fault-switch.tsx";
import { Actions } from "../parts/action.tsx";
import { Empty } from "../parts/empty.tsx";
import { keepFocus, Pane } from "../parts/pane.tsx";
import { Prose } from "../parts/prose.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";
import { Integration, Outside } from "../parts/text.tsx";
import { type Action, run } from "../state/actions.ts";
import { scope } from "../state/control.ts";
import { heldName, isArmed } from "../state/fault-form.ts";
import { locale, t } from "../state/language.ts";
import { faults, loadFaults } from "../state/sandbox.ts";
import type { WireFault } from "../state/wire.ts";
import { FaultFormView } from "./fault-form.tsx";

/** The faults in the order in which they apply, and a form that adds one. */
export function FaultsPane() {
  const all = faults.value;
  const title = t({ en: "Faults", pt: "Falhas" });
  const removable = all.filter(isRemovable).length;
  return (
    <Pane title={title} note={all.length > 0 ? String(all.length) : undefined}>
      {all.length === 0 ? (
        <div class="empty">
          <Empty
            text={t({
              en: "There are no faults. Add one below, or with this command:",
              pt: "Não há falhas. Adicione uma abaixo ou com este comando:",
            })}
            command={["faults", "add", "payouts.create", "error=EXTERNAL_ERROR", "--times", "1"]}
          />
        </div>
      ) : (
        <>
          <p class="hint">
            {t({
              en: "If several faults match a call or a webhook, only the first one applies.",
              pt: "Se mais de uma falha corresponder a uma chamada ou a um webhook, só a primeira se aplica.",
            })}
          </p>
          <Table label={title} rows={all} columns={columns()} idOf={({ id }) => id} />
          {removable > 0 && <Actions actions={[withFocus(clearFaults(removable))]} />}
        </>
      )}
      {scope.value !== null && (
        <p class="hint">
          {t({
            en: "The list contains the faults of all integrations too, since they act on the calls of this one.",
            pt: "A lista contém também as falhas de todas as integrações, que agem sobre as chamadas desta.",
          })}
        </p>
      )}
      <FaultFormView />
    </Pane>
  );
}

const columns = (): readonly TableColumn<WireFault>[] => [
  {
    title: t({ en: "Acts on", pt: "Age sobre" }),
    cell: ({ on }) => <code>{on}</code>,
  },
  {
    title: t({ en: "Effect", pt: "Efeito" }),
    cell: ({ effect }) => <Effect text={effect} />,
  },
  {
    title: t({ en: "Only if", pt: "Só se" }),
    cell: ({ match }) =>
      match === undefined ? (
        t({ en: "(any)", pt: "(qualquer)" })
      ) : (
        <ul class="plain anywhere">
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
    title: t({ en: "Times left", pt: "Vezes restantes" }),
    cell: (fault) =>
      isArmed(fault)
        ? (fault.times ?? t({ en: "no limit", pt: "sem limite" }))
        : t({ en: "0: used up", pt: "0: esgotada" }),
  },
  { title: t({ en: "Uses", pt: "Usos" }), cell: ({ used }) => used },
  {
    title: t({ en: "Probability", pt: "Probabilidade" }),
    cell: ({ probability = 1 }) =>
      new Intl.NumberFormat(locale(), { maximumFractionDigits: 6 }).format(probability),
  },
  {
    title: t({ en: "Integration", pt: "Integração" }),
    cell: ({ integration }) => (
      <Integration name={integration} all={t({ en: "all", pt: "todas" })} />
    ),
  },
  {
    title: t({ en: "Actions", pt: "Ações" }),
    cell: (fault) => (
      <>
        <HeldCalls fault={fault} />
        <Actions
          actions={fault.held?.length ? [releaseAll(fault), removal(fault)] : [removal(fault)]}
          others={fault.held?.slice(1).map((_, index) => releaseFirst(fault, index + 1))}
        />
      </>
    ),
  },
];

/** An effect's text, and what it does. */
function Effect({ text }: { readonly text: string }) {
  const effect = readEffect(text);
  return (
    <>
      <code class="anywhere">
        <Outside text={text} />
      </code>
      {effect && (
        <p class="hint">
          <Prose text={t(EFFECTS[effect.kind].summary)} />
        </p>
      )}
    </>
  );
}

/** The calls that a fault holds, in the order of their arrival. */
function HeldCalls({ fault }: { readonly fault: WireFault }) {
  const { held } = fault;
  if (held === undefined) return null;
  if (held.length === 0)
    return <p class="hint">{t({ en: "No held calls.", pt: "Nenhuma chamada retida." })}</p>;
  return (
    <ol class="held" start={0} aria-label={t({ en: "Held calls", pt: "Chamadas retidas" })}>
      {held.map(({ idempotency_key }, index) => (
        <li key={`${index} ${idempotency_key}`}>
          <span class="anywhere">
            {idempotency_key === null ? (
              t({ en: "a simulation", pt: "uma simulação" })
            ) : (
              <code>
                <Outside text={idempotency_key} />
              </code>
            )}
          </span>
          {index > 0 && (
            <button
              type="button"
              class="small"
              onClick={() => void run(releaseFirst(fault, index))}
            >
              {releaseFirst(fault, index).label}
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

function removal({ id, integration, held = [] }: WireFault): Action {
  return withFocus({
    label: t({ en: "Remove", pt: "Remover" }),
    method: "DELETE",
    path: `/faults/${id}`,
    command: ["faults", "remove", id],
    integration,
    ...(held.length > 0 && {
      question: t({
        en: `Remove the fault? The calls that it holds (${held.length}) continue.`,
        pt: `Remover a falha? As chamadas que ela retém (${held.length}) continuam.`,
      }),
    }),
    onDone: loadFaults,
  });
}

/** Releases the held calls in the order of their arrival. */
function releaseAll({ id, integration, held = [] }: WireFault): Action {
  const action: Action = {
    label: t({
      en: `Release in order (${held.length})`,
      pt: `Liberar em ordem (${held.length})`,
    }),
    method: "POST",
    path: `/faults/${id}/release`,
    command: ["faults", "release", id],
    integration,
    isMain: true,
    onDone: loadFaults,
  };
  return withFocus(action, id);
}

/** Releases one of the held calls before the others. */
function releaseFirst(fault: WireFault, index: number): Action {
  const name = heldName(fault.held, index);
  return {
    ...releaseAll(fault),
    label: t({ en: `Release ${index} first`, pt: `Liberar a ${index} primeiro` }),
    body: { order: [name] },
    command: [
      "faults",
      "release",
      fault.id,
      ...(typeof name === "number" ? ["--order", String(name)] : ["--key", name]),
    ],
  };
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
