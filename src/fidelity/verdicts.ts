import {
  type AssumptionChanges,
  type AssumptionName,
  ASSUMPTION_NAMES,
  STANDARD_ASSUMPTIONS,
  triedChoices,
} from "../core/assumptions/table.ts";
import { say } from "../text/message.ts";
import {
  autoRange,
  contradicted,
  type Judged,
  notObservable,
  observedAs,
  OWN_JUDGES,
  predictor,
  type Verdict,
  withoutNumber,
} from "./own-verdicts.ts";
import {
  codeIn,
  type Exchange,
  gradeMembers,
  isRefused,
  placedMembers,
  type Response,
} from "./exchange.ts";
import type { Model, Predicted } from "./model.ts";
import { EXPERIMENTS, PATIENCE_S, type Step } from "./plan.ts";
import type { Observed } from "./runner.ts";

type Choice = string | number;
type Row = AssumptionName;

/** The experiments of each row, in the order of the plan. */
const EXPERIMENTS_OF = new Map<Row, readonly string[]>(
  ASSUMPTION_NAMES.map((row) => [
    row,
    Object.entries(EXPERIMENTS)
      .filter(
        ([, { steps, isBurst }]) =>
          (row === "error.status" && !isBurst) || steps.some(({ tells }) => tells?.includes(row)),
      )
      .map(([name]) => name),
  ]),
);

/** Judges every row by what was observed. */
export async function judge(observed: Observed, model: Model): Promise<Verdict[]> {
  const { from, to } = autoRange(observed);
  const isNever = to === Number.POSITIVE_INFINITY;
  const worlds = isNever
    ? ["never"]
    : [...new Set([from, to])].map((seconds) => `complete_after:${seconds}`);
  const [verdicts = [], others] = await Promise.all(
    worlds.map((auto) => new Judge(observed, model, auto).judge()),
  );
  if (!others) return verdicts;
  // When payouts complete by themselves is not known exactly: what depends on it is not claimed.
  return verdicts.map((verdict, index) => {
    const other = others[index];
    const isSame = other?.verdict === verdict.verdict && other.choice === verdict.choice;
    const says = say`It depends on when payouts complete by themselves.`;
    return isSame ? verdict : { ...verdict, ...notObservable(says) };
  });
}

class Judge {
  readonly #observed: Observed;
  readonly #model: Model;
  /** The choices that fit best so far. */
  #fitted: AssumptionChanges;
  /** Differences from what the specification shows: they say nothing about a row. */
  readonly #known = new Set<string>();

  constructor(observed: Observed, model: Model, auto: Choice) {
    this.#observed = observed;
    this.#model = model;
    this.#fitted = { "payout.auto": auto };
  }

  async judge(): Promise<Verdict[]> {
    await this.#fit();
    await this.#learnDeviations();
    const predict = predictor(this.#observed, this.#model, this.#fitted);
    const verdicts: Verdict[] = [];
    for (const name of ASSUMPTION_NAMES) {
      const own = OWN_JUDGES[name];
      const judged = own ? await own(this.#observed, predict) : await this.#judgeRow(name);
      verdicts.push({ name, evidence: this.#evidence(name), ...withoutNumber(name, judged) });
    }
    if (this.#known.size > 0) verdicts.push(this.#specification());
    return verdicts;
  }

  /** A row of its own: these differences contradict more than a choice. */
  #specification(): Verdict {
    const evidence = Object.entries(EXPERIMENTS).flatMap(([name, { steps }]) =>
      (this.#observed.exchanges[name] ?? []).filter((_, index) => steps[index]?.isSpecified),
    );
    const says = say`Responses that depend on no choice differ in: ${[...this.#known].join("; ")}.`;
    return { name: "specification", evidence, ...contradicted(says) };
  }

  /** Looks for the choices that together differ least from what was observed. */
  async #fit(): Promise<void> {
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const before = JSON.stringify(this.#fitted);
      for (const row of ASSUMPTION_NAMES) {
        if (OWN_JUDGES[row] || this.#seen(row).length === 0) continue;
        let [best, least] = [this.#held(row), Number.POSITIVE_INFINITY];
        for (const choice of [best, ...candidates(row)]) {
          const found = await this.#differences(row, choice);
          // That a call succeeds says more than its members.
          const score = found.size + 10 * [...found].filter(isOfSuccess).length;
          if (score < least) [best, least] = [choice, score];
        }
        this.#fitted = { ...this.#fitted, [row]: best };
      }
      if (JSON.stringify(this.#fitted) === before) return;
    }
  }

  #held(row: Row): Choice {
    return this.#fitted[row] ?? STANDARD_ASSUMPTIONS[row];
  }

  /** The experiments of a row that brought something. */
  #seen(row: Row): readonly string[] {
    return (EXPERIMENTS_OF.get(row) ?? []).filter(
      (name) =>
        !this.#observed.lost.includes(name) && (this.#observed.exchanges[name] ?? []).length > 0,
    );
  }

  /** How what was observed for a row differs from what the sandbox does under one of its choices. */
  async #differences(row: Row, choice: Choice): Promise<Set<string>> {
    const found = new Set<string>();
    const statuses: CodeStatus[] = [];
    for (const name of this.#seen(row)) {
      const exchanges = this.#observed.exchanges[name] ?? [];
      const predicted = await this.#model.responses(exchanges, { ...this.#fitted, [row]: choice });
      const steps = EXPERIMENTS[name]?.steps ?? [];
      // What comes later tells other rows.
      const last = steps.findLastIndex(({ tells }) => tells?.includes(row));
      for (const [index, exchange] of exchanges.entries()) {
        const response = predicted[index]?.response;
        const step = steps[index];
        if (!response || !step) continue;
        if (index > last && !step.isAboutSuccess && row !== "error.status") continue;
        const told = !step.isAboutSuccess && step.tells?.includes(row) ? row : undefined;
        if (row === "error.status") {
          statuses.push(...codeStatus(exchange.response, response));
          continue;
        }
        for (const one of differences(
          { exchange, response, told, place: index },
          exchanges,
          predicted,
        ))
          if (!this.#known.has(one) || (told && isOwn(told, choice, one)))
            if (told || isOfSuccess(one)) found.add(`${name} ${index + 1} ${one}`);
      }
    }
    return row === "error.status" ? wrongStatuses(statuses) : found;
  }

  /** Finds what contradicts the specification itself, in responses that depend on no choice. */
  async #learnDeviations(): Promise<void> {
    for (const [name, { steps }] of Object.entries(EXPERIMENTS)) {
      const exchanges = this.#observed.exchanges[name] ?? [];
      if (!steps.some(({ isSpecified }) => isSpecified) || exchanges.length === 0) continue;
      const predicted = await this.#model.responses(exchanges, this.#fitted);
      for (const [index, exchange] of exchanges.entries()) {
        const response = predicted[index]?.response;
        if (!steps[index]?.isSpecified || !response) continue;
        for (const one of differences(
          { exchange, response, told: "specification", place: index },
          exchanges,
          predicted,
        ))
          this.#known.add(isOfSuccess(one) ? `${name} ${index + 1} ${one}` : one);
      }
    }
  }

  async #judgeRow(row: Row): Promise<Judged> {
    if (this.#seen(row).length === 0) return notObservable(say`No call was made for it.`);
    const open = await this.#openDependency(row);
    if (open) return notObservable(say`It depends on ${open}, which was not observed.`);
    const choices = candidates(row);
    const found: (readonly [Choice, ReadonlySet<string>])[] = [];
    for (const choice of choices) found.push([choice, await this.#differences(row, choice)]);
    const fitting = found.filter(([, { size }]) => size === 0).map(([choice]) => choice);
    const [first] = fitting;
    if (first !== undefined)
      return fitting.length === 1
        ? observedAs(first, say`Only this choice fits the responses.`)
        : notObservable(say`The responses fit several choices: ${fitting.join(", ")}.`);
    const [nearest = "", different = new Set<string>()] =
      found.toSorted(([, one], [, other]) => one.size - other.size)[0] ?? [];
    return contradicted(
      say`No choice describes this. The nearest, ${nearest}, differs in: ${[...different].join("; ")}.`,
    );
  }

  /** A row that the responses depend on too, and whose experiments were lost. */
  async #openDependency(row: Row): Promise<Row | undefined> {
    for (const name of this.#seen(row)) {
      const exchanges = this.#observed.exchanges[name] ?? [];
      const predicted = await this.#model.responses(exchanges, this.#fitted);
      const open = predicted
        .flatMap(({ dependsOn }) => dependsOn)
        .find((one) => one !== row && this.#isLost(one));
      if (open) return open;
    }
    return undefined;
  }

  #isLost(row: Row): boolean {
    const all = EXPERIMENTS_OF.get(row) ?? [];
    return all.length > 0 && all.every((name) => this.#observed.lost.includes(name));
  }

  #evidence(row: Row): Exchange[] {
    const { exchanges: all, limited } = this.#observed;
    if (row === "error.status" || row === "error.language")
      return Object.values(all).flat().filter(isRefused);
    if (row === "rate_limit.per_minute" && limited) return [limited];
    return this.#seen(row).flatMap((name) => {
      const steps: readonly Step[] = EXPERIMENTS[name]?.steps ?? [];
      return (this.#observed.exchanges[name] ?? []).filter((_, index) =>
        steps[index]?.tells?.includes(row),
      );
    });
  }
}

const MAX_PASSES = 4;

/** The rows whose words name the status of a refusal. */
const NAMES_STATUS: ReadonlySet<Row> = new Set([
  "payout.rival",
  "environment",
  "simulation.final",
  "header.missing",
  "credentials",
  "idempotency.repeat",
  "idempotency.mismatch",
]);

/** What a row, or one of its choices, says itself, although the specification says it too. */
const OWN_WORDS: Partial<Record<Row | `${Row}=${string}`, RegExp>> = {
  environment: /code|errors/,
  "payout.rival=cancel": /00 status /,
  "header.missing": /errors/,
  "simulation.final": /errors/,
  "simulation.message": /message/,
};

/** The choices to try for a row. */
function candidates(row: Row): readonly Choice[] {
  if (row === "idempotency.retention_seconds") return [STANDARD_ASSUMPTIONS[row], PATIENCE_S / 2];
  return triedChoices(row);
}

/** The status of a refusal, and the predicted one of the same code. */
interface CodeStatus {
  readonly code: string;
  readonly status: number;
  readonly predicted: number;
}

function codeStatus(actual: Response, predicted: Response): CodeStatus[] {
  const [code, predictedCode] = [codeIn(actual), codeIn(predicted)];
  if (code === undefined || code !== predictedCode) return [];
  return [{ code, status: actual.status, predicted: predicted.status }];
}

function isOwn(row: Row, choice: Choice, difference: string): boolean {
  return (OWN_WORDS[row] ?? OWN_WORDS[`${row}=${choice}`])?.test(difference) ?? false;
}

/** The codes whose usual status is not the predicted one. An unusual status belongs to the row of its response. */
function wrongStatuses(all: readonly CodeStatus[]): Set<string> {
  const wrong = new Set<string>();
  for (const code of new Set(all.map((one) => one.code))) {
    const own = all.filter((one) => one.code === code);
    const count = (status: number): number => own.filter((one) => one.status === status).length;
    const usual = own.toSorted((one, other) => count(other.status) - count(one.status))[0];
    if (usual && usual.status !== usual.predicted) wrong.add(`${code} ${usual.status}`);
  }
  return wrong;
}

interface Compared {
  readonly exchange: Exchange;
  readonly response: Response;
  /** Undefined to compare only success. */
  readonly told: Row | "specification" | undefined;
  readonly place: number;
}

/** A difference in success. */
const [ACCEPTED, REFUSED] = ["was accepted", "was refused"];

function isOfSuccess(difference: string): boolean {
  return difference.endsWith(ACCEPTED) || difference.endsWith(REFUSED);
}

/** How a response differs from the predicted one. Messages and the statuses of errors are judged by rows of their own. */
function differences(
  { exchange, response: predicted, told, place }: Compared,
  exchanges: readonly Exchange[],
  all: readonly Predicted[],
): string[] {
  const actual = exchange.response;
  const [code, predictedCode] = [codeIn(actual), codeIn(predicted)];
  if ((code === undefined) !== (predictedCode === undefined))
    return [code === undefined ? ACCEPTED : REFUSED];
  if (told === undefined) return [];
  const kind = predictedCode === undefined ? `${exchange.path} ${predicted.status}` : "error";
  const found: string[] = [];
  if (
    told !== "specification" &&
    code !== undefined &&
    NAMES_STATUS.has(told) &&
    actual.status !== predicted.status
  )
    found.push(`error http status ${predicted.status}→${actual.status}`);
  else if (code === undefined && actual.status !== predicted.status)
    found.push(`${kind} http status`);
  const own = comparable(exchanges, told, place);
  const theirs = comparable(all, told, place);
  for (const { path, grade, actual: one, predicted: other } of gradeMembers(own, theirs)) {
    const general = path.replaceAll(/\.\d+\./g, ".*.").slice(0, MAX_PATH);
    if (grade === "missing") found.push(`${kind} ${own.has(path) ? "+" : "-"}${general}`);
    if (grade === "different") found.push(`${kind} ${general} ${shown(other)}→${shown(one)}`);
  }
  return found;
}

/** A gateway can send a name of any length. */
const MAX_PATH = 120;

/** Only names such as codes are compared by their value. */
function shown(value: unknown): string {
  return typeof value === "string" && /^\w{1,40}$/.test(value) ? value : typeof value;
}

/** A simulation's message is worded of a charge, for payouts too. */
const CHARGE = /charge|payin|cobran/i;

/** The members that a row compares. */
function comparable(
  all: readonly { readonly response: Response }[],
  told: Row | "specification",
  place: number,
): Map<string, unknown> {
  const bodies = all.map(({ response }) => response.body);
  const members = placedMembers(bodies, place);
  const response = all[place]?.response;
  if (!response) return members;
  const isError = codeIn(response) !== undefined;
  const isListed = codeIn(response) === "VALIDATION_ERROR" || told === "simulation.final";
  for (const [path, value] of new Map(members)) {
    if (path === "qr_code_base64" && told !== "qr_code_base64.form") members.set(path, "");
    if (path.endsWith("message") && typeof value === "string")
      members.set(path, told === "simulation.message" && !CHARGE.test(value) ? 0 : "");
    if (!path.startsWith("errors") || !isError) continue;
    // The member is documented for all errors, its entries only for these.
    if (!isListed) members.delete(path);
    members.set("errors", "");
  }
  if (told === "idempotency.repeat" || told === "idempotency.mismatch")
    members.set("idempotent-replayed", response.headers["idempotent-replayed"] ?? "");
  return members;
}
