import { InvalidArgumentError } from "commander";
import { effectKindsOn, FAULT_PLACES, formOf } from "../../core/faults/effects.ts";
import { MAX_FAULT_TIMES } from "../../core/faults/fault.ts";
import type { WireFault } from "../../core/state/wire.ts";
import { ID, INTEGRATION } from "../records/columns.ts";
import { defineCommand, defineGroup } from "../definition/define-command.ts";
import { usageError } from "../terminal/errors.ts";
import { localize } from "../terminal/language.ts";
import { defineList } from "../records/list.ts";
import { idOf, integer, parsed, repeatable, freeText } from "../definition/parameters.ts";
import { renderRecord } from "../output/render.ts";
import type { Table } from "../terminal/table.ts";
import { say } from "../../text/message.ts";

const SOME_ID = "flt_0123456789abcdef0123456789abcdef";

export const FAULTS: Table<WireFault> = {
  none: say`No faults.`,
  columns: [
    ID,
    { title: say`ON`, text: ({ on }) => on },
    { title: say`EFFECT`, text: ({ effect }) => effect },
    { title: say`USED`, text: ({ used }) => String(used) },
    {
      title: say`LEFT`,
      text: ({ times }) => String(times ?? localize(say`always`)),
    },
    {
      title: say`HELD`,
      text: ({ held }) => (held === undefined ? "-" : String(held.length)),
    },
    {
      title: say`MATCH`,
      text: ({ match }) => (match === undefined ? "-" : JSON.stringify(match)),
      least: 12,
    },
    INTEGRATION,
  ],
};

const list = defineList("faults list", {
  summary: say`list faults, oldest first, with their use`,
  route: "GET /faults",
  of: "fault",
  table: FAULTS,
  // In the order in which they apply.
  isOldestFirst: true,
  limit: 100,
  examples: ["faults list", "faults list --json"],
});

const formsOn = (on: "call" | "webhook"): string => effectKindsOn(on).map(formOf).join(", ");

const add = defineCommand("faults add", {
  summary: say`inject a fault`,
  arguments: {
    on: freeText("on", say`what the fault acts on: ${FAULT_PLACES.join(", ")}`),
    effect: freeText("effect", () =>
      localize(say`on a call: ${formsOn("call")}; on a webhook: ${formsOn("webhook")}`),
    ),
  },
  flags: {
    times: integer([1, MAX_FAULT_TIMES], "number", say`how often it applies (default: always)`),
    match: repeatable(
      "name=value",
      say`only if the request, or the event's data, has this field; name:=JSON for other values than text; repeatable`,
    ),
    probability: parsed(
      "number",
      readProbability,
      say`the chance that it applies, 0 to 1; draws depend on the seed`,
    ),
  },
  route: "POST /faults",
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
  summary: say`release the calls that a fault holds, and wait for their end`,
  arguments: { id: idOf("fault") },
  route: "POST /faults/{id}/release",
  show: ({ id, held = [] }) => say`fault ${id} holds ${held.length} calls`,
  examples: ["faults release last", `faults release ${SOME_ID}`],
});

const remove = defineCommand("faults remove", {
  summary: say`remove a fault, and release the calls that it holds`,
  arguments: { id: idOf("fault") },
  route: "DELETE /faults/{id}",
  show: ({ id, used }) => say`fault ${id} removed; uses: ${used}`,
  examples: ["faults remove last", `faults remove ${SOME_ID}`],
});

const clear = defineCommand("faults clear", {
  summary: say`remove all faults, and release the calls that they hold`,
  route: "DELETE /faults",
  show: ({ data }) => say`faults removed: ${data.length}`,
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
    throw usageError(say`Invalid --match. Use name=value or name:=JSON.`);
  if (colon === "") return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    throw usageError(say`Invalid --match ${text}. Use JSON after :=.`);
  }
}

function readProbability(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError(localize(say`Use a number from 0 to 1.`));
}
