import type { Records } from "../../src/core/state/records.ts";
import { Chance } from "./chance.ts";
import { Chronicle } from "./chronicle.ts";
import { Machine } from "./machine.ts";
import { Merchant } from "./merchant.ts";
import { SimulatedNetwork } from "./network.ts";
import { drawPlan } from "./plan.ts";
import type { System } from "./system.ts";
import { SimulatedTime } from "./time.ts";
import { Witness } from "./witness.ts";

/** The longest ladder takes 76 hours. */
const LONGEST_MS = 10 * 24 * 3_600_000;

/**
 * One world from its beginning to its rest: a storm in which anything may fail, then a calm in which nothing does.
 * @param atRest has a look at the records in the end
 * @returns what could be seen of it
 */
export async function runSeed(
  system: System,
  seed: number,
  atRest?: (records: Records) => void,
): Promise<Chronicle> {
  const time = new SimulatedTime();
  const chance = new Chance(seed);
  const chronicle = new Chronicle(time);
  const plan = drawPlan(chance);
  chronicle.note(`plan: ${JSON.stringify(plan)}`);
  const { parts } = system;
  const assumptions = parts.withChanges(parts.STANDARD_ASSUMPTIONS, plan.assumptions);
  const witness = new Witness(chronicle, assumptions);
  const network = new SimulatedNetwork({ time, chance, chronicle, plan });
  const machine = new Machine({ system, time, chance, chronicle, network, witness, plan });
  const merchant = new Merchant({
    system,
    time,
    chance,
    chronicle,
    network,
    machine,
    witness,
    plan,
  });
  machine.begin();
  merchant.storm();
  time.after(plan.stormMs, () => {
    chronicle.note("calm");
    network.isCalm = true;
    machine.calm();
  });
  // Once the last call of the storm has arrived: a repeat whose key has expired meanwhile creates a record.
  time.after(plan.stormMs + plan.maxLatencyMs, () => merchant.tidyUp());
  const isOver = (): boolean => {
    machine.look();
    if (time.passedMs > LONGEST_MS)
      chronicle.violated("everything comes to rest", "it goes on for ever");
    return chronicle.violation !== undefined;
  };
  await time.run(isOver);
  if (!isOver()) await lookAtRest(machine, witness, chronicle, isOver);
  if (machine.life) atRest?.(machine.life.store.records);
  return chronicle;
}

/** Nothing is due any more: all has ended as it should, and a restart finds it so. */
async function lookAtRest(
  machine: Machine,
  witness: Witness,
  chronicle: Chronicle,
  isOver: () => boolean,
): Promise<void> {
  const { life } = machine;
  if (!life) return chronicle.violated("everything comes to rest", "no process runs");
  const { records } = life.store;
  witness.compare(records, false);
  witness.lookAtRest(records);
  await machine.restart(isOver);
  const before = rowsOf(records);
  const after = machine.life ? rowsOf(machine.life.store.records) : [];
  chronicle.note(`at rest with ${after.length} rows`, after.join("\n"));
  const differing = [
    ...before.filter((row) => !after.includes(row)).map((row) => `- ${row}`),
    ...after.filter((row) => !before.includes(row)).map((row) => `+ ${row}`),
  ];
  if (differing.length > 0)
    chronicle.violated("a restart brings the same records", differing.join("\n"));
}

/** Every row there is, as text; of keys that have passed it may or may not be known what they were. */
function rowsOf(records: Records): readonly string[] {
  return Object.entries(records.listsOf(null)).flatMap(
    ([list, rows]: [string, readonly object[]]) =>
      rows.map((row) => {
        const text = JSON.stringify(row, (name, value: unknown) =>
          name === "key" || name === "request" ? undefined : value,
        );
        return `${list} ${text}`;
      }),
  );
}
