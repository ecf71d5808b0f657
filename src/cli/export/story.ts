import type { Message } from "../../text/message.ts";

/** What happened in a sandbox, as steps that repeat it in a fresh one. Each export format is written from it. */
export interface Story {
  readonly about: Message;
  /** What the story does not repeat, and why: one sentence each. */
  readonly notes: readonly Message[];
  /** How many integrations take part. A step names one by its number, from 0 on. */
  readonly integrations: number;
  readonly steps: readonly Step[];
}

export type Noun = "payin" | "payout";

/** A value that is known only when the story runs: the id of a transaction, or the webhook address. */
export class Variable {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The address of the receiver of the webhooks. */
export const WEBHOOK_URL = new Variable("webhook_url");

/** A JSON value that can contain variables. */
export type Template =
  | Variable
  | string
  | number
  | boolean
  | null
  | readonly Template[]
  | { readonly [member: string]: Template };

/** One webhook of a transaction. */
export interface ExpectedWebhook {
  readonly type: string;
  /** How many attempts are answered 200; undefined if the story cannot know. */
  readonly attempts: number | undefined;
}

/** The expected response of a call. */
export interface Expected {
  readonly status: number;
  /** Members of the response's object. */
  readonly members?: Readonly<Record<string, Variable | string | number>>;
  /** The response is a list of webhooks: exactly these, in order. */
  readonly webhooks?: readonly ExpectedWebhook[];
}

interface StepParts {
  readonly says: Message;
  /** The integration that calls; `all` for a call that needs none. */
  readonly integration: number | "all";
}

/** A step of a story. */
export type Step = StepParts &
  (
    | {
        readonly kind: "create";
        readonly noun: Noun;
        readonly path: string;
        readonly body: Template;
        /** Two steps with the same key send the same `x-idempotency-key`. */
        readonly key: string;
        /** The value of `x-sandbox-fault`. */
        readonly fault?: string | undefined;
        /** The variable that gets the id. */
        readonly as?: Variable | undefined;
        readonly expected: Expected | "lost";
      }
    | {
        readonly kind: "simulate";
        readonly noun: Noun;
        readonly body: Template;
        readonly fault?: string | undefined;
        readonly expected: Expected | "lost";
      }
    | {
        readonly kind: "move";
        readonly noun: Noun;
        readonly of: Variable;
        readonly move: "pay" | "cancel" | "expire" | "complete";
        readonly expected: Expected;
      }
    /** Any other call of the gateway. */
    | {
        readonly kind: "gateway";
        readonly method: string;
        readonly path: string;
        readonly body?: Template | undefined;
        readonly expected: Expected;
      }
    /** Reads the id of the newest transaction: the response that had it was lost. */
    | { readonly kind: "find"; readonly noun: Noun; readonly as: Variable }
    | {
        readonly kind: "fault";
        readonly effect: string;
        readonly of: Variable;
        readonly times: number;
      }
    | { readonly kind: "assume"; readonly changes: Readonly<Record<string, string | number>> }
    | { readonly kind: "freeze" }
    | { readonly kind: "advance"; readonly ms: number }
    | { readonly kind: "settle" }
    | {
        readonly kind: "record";
        readonly noun: Noun;
        readonly of: Variable;
        readonly members: Readonly<Record<string, string | number>>;
      }
    | {
        readonly kind: "webhooks";
        readonly noun: Noun;
        readonly of: Variable;
        readonly are: readonly ExpectedWebhook[];
      }
  );

export type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;

/** A step as an HTTP call. */
export interface Call {
  readonly method: string;
  /** The parts of the path. */
  readonly path: readonly (string | Variable)[];
  /** Whether it is a call of the gateway and not of a control route. */
  readonly isGateway: boolean;
  readonly body?: Template | undefined;
  readonly key?: string | undefined;
  readonly fault?: string | undefined;
  readonly expected: Expected | "lost";
  readonly as?: Variable | undefined;
}

const OK: Expected = { status: 200 };

/** The HTTP call that a step makes. */
export function callOf(step: Step): Call {
  switch (step.kind) {
    case "create": {
      const { path, body, key, fault, as, expected } = step;
      return { method: "POST", path: [path], isGateway: true, body, key, fault, as, expected };
    }
    case "simulate": {
      const { body, fault, expected } = step;
      const path = [`/v1/${step.noun}s/simulations`];
      return { method: "POST", path, isGateway: true, body, fault, expected };
    }
    case "gateway": {
      const { method, path, body, expected } = step;
      return { method, path: [path], isGateway: true, body, expected };
    }
    case "move":
      return control("POST", [`/${step.noun}s/`, step.of, `/${step.move}`], {
        expected: step.expected,
      });
    case "find":
      return control("GET", [`/${step.noun}s?order=desc&limit=1`], { as: step.as });
    case "fault": {
      const { effect, times } = step;
      const body = { on: "webhook", effect, times, match: { id: step.of } };
      return control("POST", ["/faults"], { body });
    }
    case "assume":
      return control("PATCH", ["/assumptions"], { body: step.changes });
    case "freeze":
      return control("POST", ["/clock/freeze"]);
    case "advance":
      return control("POST", ["/clock/advance"], { body: { seconds: step.ms / 1000 } });
    case "settle":
      return control("POST", ["/settle"]);
    case "record":
      return control("GET", [`/${step.noun}s/`, step.of], {
        expected: { status: 200, members: step.members },
      });
    case "webhooks":
      return control("GET", ["/deliveries?transaction_id=", step.of], {
        expected: { status: 200, webhooks: step.are },
      });
  }
}

function control(
  method: string,
  path: readonly (string | Variable)[],
  { body, expected = OK, as }: { body?: Template; expected?: Expected; as?: Variable } = {},
): Call {
  return { method, path: ["/_sandbox", ...path], isGateway: false, body, expected, as };
}

/** The variable that a step defines. */
export function definedBy(step: Step): Variable | undefined {
  return callOf(step).as;
}

/** The variables that a step uses. */
export function usedBy(step: Step): Variable[] {
  const { path, body, expected } = callOf(step);
  const members = expected === "lost" ? {} : (expected.members ?? {});
  return [...variablesIn(path), ...variablesIn(body ?? null), ...variablesIn(members)];
}

function variablesIn(value: Template): Variable[] {
  if (value instanceof Variable) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(variablesIn);
}

/** Replaces the variables of a template. */
export function fill(value: Template, valueOf: (variable: Variable) => unknown): unknown {
  if (value instanceof Variable) return valueOf(value);
  if (Array.isArray(value)) return (value as Template[]).map((each) => fill(each, valueOf));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Record<string, Template>).map(([name, each]) => [
      name,
      fill(each, valueOf),
    ]),
  );
}

/** The expected body of a response, as a value whose members the body must have; undefined if any will do. */
export function expectedBody({ members, webhooks }: Expected): Template | undefined {
  if (webhooks !== undefined) {
    const data = webhooks.map(({ type, attempts }) =>
      attempts === undefined
        ? { type }
        : {
            type,
            status: "delivered",
            attempts: Array.from({ length: attempts }, () => ({ status: 200 })),
          },
    );
    return { data };
  }
  return members;
}
