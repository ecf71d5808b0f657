import { expect } from "vitest";
import { type Answered, callsTo, type Shown } from "../../support/calls.ts";

type Noun = "payin" | "payout";
type Known = "open" | "acknowledged" | "refused";

interface Creation {
  readonly noun: Noun;
  readonly description: string;
  readonly members: Readonly<Record<string, unknown>>;
  known: Known;
  /** Whether it was refused at first. */
  wasRefused: boolean;
  answer: Shown | undefined;
}

export interface Settlement {
  readonly noun: Noun;
  readonly id: string;
  known: Known;
}

/** What a merchant has asked for, and what it knows of that. */
export class Book {
  readonly creations: Creation[];
  readonly settlements: Settlement[];

  constructor(creations: readonly Creation[] = [], settlements: readonly Settlement[] = []) {
    this.creations = creations.map((one) => ({ ...one }));
    this.settlements = settlements.map((one) => ({ ...one }));
  }

  get hasRefusals(): boolean {
    return [...this.creations, ...this.settlements].some(({ known }) => known === "refused");
  }

  /** Rejects where no answer comes. */
  async create(
    url: string,
    noun: Noun,
    description: string,
    members: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const creation: Creation = {
      noun,
      description,
      members,
      known: "open",
      wasRefused: false,
      answer: undefined,
    };
    this.creations.push(creation);
    await this.ask(url, creation);
  }

  /** Rejects where no answer comes; does nothing where there is nothing to settle. */
  async settle(url: string, description: string): Promise<void> {
    const created = this.creations.find((creation) => creation.description === description);
    if (!created?.answer) return;
    const { noun, answer } = created;
    const settlement: Settlement = { noun, id: answer.id, known: "open" };
    this.settlements.push(settlement);
    settlement.known = knownBy(await callsTo(url).simulate(noun, answer.id));
  }

  /** Asks for the same with the same key, as whoever has got no answer does. */
  async ask(url: string, creation: Creation): Promise<Answered<Shown>> {
    const { noun, members, description } = creation;
    const calls = callsTo(url);
    const create = noun === "payin" ? calls.createPayin : calls.createPayout;
    const answer = await create({ ...members, description }, `key of ${description}`);
    creation.known = knownBy(answer);
    creation.wasRefused ||= creation.known === "refused";
    creation.answer ??= answer.status === 200 ? answer.body : undefined;
    return answer;
  }
}

export function knownBy({ status, body }: Answered<unknown>): Known {
  if (status === 200) return "acknowledged";
  expect({ status, body }).toMatchObject({ status: 503, body: { code: "EXTERNAL_ERROR" } });
  return "refused";
}
