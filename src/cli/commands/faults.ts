import { InvalidArgumentError } from "commander";
import { effectForms, FAULT_PLACES } from "../../core/faults/effects.ts";
import { MAX_FAULT_TIMES } from "../../core/faults/fault.ts";
import type { WireFault } from "../../core/state/wire.ts";
import {
  CLEAR_FAULTS,
  CREATE_FAULT,
  LIST_FAULTS,
  RELEASE_FAULT,
  REMOVE_FAULT,
} from "../../core/state/wire-routes.ts";
import { ID, INTEGRATION } from "../records/columns.ts";
import { defineCommand, defineGroup } from "../definition/define-command.ts";
import { usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { defineList } from "../records/list.ts";
import { idOf, integer, parsed, repeatable, freeText } from "../definition/parameters.ts";
import { renderRecord } from "../output/render.ts";
import type { Table } from "../terminal/table.ts";

const SOME_ID = "flt_0123456789abcdef0123456789abcdef";

export const FAULTS: Table<WireFault> = {
  none: { en: "No faults.", pt: "Nenhuma falha." },
  columns: [
    ID,
    { title: { en: "ON", pt: "EM" }, text: ({ on }) => on },
    { title: { en: "EFFECT", pt: "EFEITO" }, text: ({ effect }) => effect },
    { title: { en: "USED", pt: "USADA" }, text: ({ used }) => String(used) },
    {
      title: { en: "LEFT", pt: "RESTAM" },
      text: ({ times }) => String(times ?? localize({ en: "always", pt: "sempre" })),
    },
    {
      title: { en: "HELD", pt: "RETIDAS" },
      text: ({ held }) => (held === undefined ? "-" : String(held.length)),
    },
    {
      title: { en: "MATCH", pt: "SE" },
      text: ({ match }) => (match === undefined ? "-" : JSON.stringify(match)),
      least: 12,
    },
    INTEGRATION,
  ],
};

const list = defineList("faults list", {
  summary: {
    en: "list faults, oldest first, with their use",
    pt: "lista as falhas, da mais antiga à mais nova, com o uso",
  },
  route: LIST_FAULTS,
  of: "fault",
  table: FAULTS,
  // In the order in which they apply.
  isOldestFirst: true,
  limit: 100,
  examples: ["faults list", "faults list --json"],
});

const add = defineCommand("faults add", {
  summary: { en: "inject a fault", pt: "injeta uma falha" },
  arguments: {
    on: freeText("on", {
      en: `what the fault acts on: ${FAULT_PLACES.join(", ")}`,
      pt: `onde a falha age: ${FAULT_PLACES.join(", ")}`,
    }),
    effect: freeText("effect", () =>
      localize({
        en: `on a call: ${effectForms("call").join(", ")}; on a webhook: ${effectForms("webhook").join(", ")}`,
        pt: `em uma chamada: ${effectForms("call").join(", ")}; em um webhook: ${effectForms("webhook").join(", ")}`,
      }),
    ),
  },
  flags: {
    times: integer([1, MAX_FAULT_TIMES], "number", {
      en: "how often it applies (default: always)",
      pt: "quantas vezes se aplica (padrão: sempre)",
    }),
    match: repeatable("name=value", {
      en: "only if the request, or the event's data, has this field; name:=JSON for other values than text; repeatable",
      pt: "só se a requisição, ou os dados do evento, tiverem este campo; nome:=JSON para valores que não são texto; pode se repetir",
    }),
    probability: parsed("number", readProbability, {
      en: "the chance that it applies, 0 to 1; draws depend on the seed",
      pt: "a chance de se aplicar, de 0 a 1; o sorteio depende da seed",
    }),
  },
  route: CREATE_FAULT,
  request: ({ match, ...given }) => ({
    ...given,
    match: match && Object.fromEntries(match.map(readMember)),
  }),
  show: renderRecord,
  examples: [
    "faults add payouts.create error=EXTERNAL_ERROR --times 1",
    "faults add payouts.create hold --match value=10.50",
    "faults add payins.create latency_ms=3000 --match value:=10.5",
    "faults add webhook duplicate --token my-shop",
  ],
});

const release = defineCommand("faults release", {
  summary: {
    en: "release the calls that a fault holds, and wait for their end",
    pt: "libera as chamadas que uma falha retém e espera o fim delas",
  },
  arguments: { id: idOf("fault") },
  flags: {
    order: freeText("calls", {
      en: "the calls to run first, separated by commas: arrival numbers, from 0, or x-idempotency-keys",
      pt: "as primeiras chamadas, separadas por vírgula: números de chegada, a partir de 0, ou x-idempotency-keys",
    }),
    key: repeatable(
      "key",
      {
        en: "an x-idempotency-key that may contain commas, after those of --order; repeatable",
        pt: "uma x-idempotency-key que pode conter vírgulas, depois das de --order; pode se repetir",
      },
      { default: [] },
    ),
  },
  route: RELEASE_FAULT,
  request: ({ id, order, key }) => ({
    id,
    order: [...(order?.split(",").map(readPlace) ?? []), ...key],
  }),
  show: ({ id, held = [] }) =>
    localize({
      en: `fault ${id} holds ${held.length} calls`,
      pt: `chamadas retidas pela falha ${id}: ${held.length}`,
    }),
  examples: [
    "faults release last",
    `faults release ${SOME_ID}`,
    "faults release last --order 1,0",
    'faults release last --key 20260131 --key "order 7, retry"',
  ],
});

const remove = defineCommand("faults remove", {
  summary: {
    en: "remove a fault, and release the calls that it holds",
    pt: "remove uma falha e libera as chamadas que ela retém",
  },
  arguments: { id: idOf("fault") },
  route: REMOVE_FAULT,
  show: ({ id, used }) =>
    localize({
      en: `fault ${id} removed; uses: ${used}`,
      pt: `falha ${id} removida; usos: ${used}`,
    }),
  examples: ["faults remove last", `faults remove ${SOME_ID}`],
});

const clear = defineCommand("faults clear", {
  summary: {
    en: "remove all faults, and release the calls that they hold",
    pt: "remove todas as falhas e libera as chamadas que elas retêm",
  },
  route: CLEAR_FAULTS,
  show: ({ data }) =>
    localize({ en: `faults removed: ${data.length}`, pt: `falhas removidas: ${data.length}` }),
  examples: ["faults clear", "faults clear --token my-shop"],
});

export const faultsCommand = defineGroup(
  "faults",
  [
    "faults add payouts.create error=EXTERNAL_ERROR --times 1",
    "faults add webhook duplicate --match buyer_cpf=12345678909",
    "faults",
    "faults clear",
  ],
  [list, add, release, remove, clear],
  { isFirstDefault: true },
);

/** Reads a member such as `name=text` or `name:=JSON`. */
function readMember(text: string): [name: string, value: unknown] {
  const [, name, colon, value] = /^([^=:]+)(:?)=([^]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageError(
      localize({
        en: "Invalid --match. Use name=value or name:=JSON.",
        pt: "--match inválido. Use nome=valor ou nome:=JSON.",
      }),
    );
  if (colon === "") return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    throw usageError(
      localize({
        en: `Invalid --match ${text}. Use JSON after :=.`,
        pt: `--match inválido: ${text}. Use JSON depois de :=.`,
      }),
    );
  }
}

function readPlace(text: string): number | string {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : text.trim();
}

function readProbability(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError(
    localize({ en: "Use a number from 0 to 1.", pt: "Use um número de 0 a 1." }),
  );
}
