import * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import { type FieldError, invalidFields } from "../../core/records/errors.ts";
import type { FaultyOperation } from "../../core/faults/effects.ts";
import type { Language } from "../../text/languages.ts";
import { type Message, say } from "../../text/message.ts";
import {
  type Answer,
  type Call,
  readPathValue,
  readToken,
  requestedLanguage,
  toAnswer,
} from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import { createReader, readMembers, readQuery, type Rules } from "../parse/body.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What the router needs of a route or a page. */
export interface Endpoint {
  /** Whether a sandbox with a control token answers it to everyone. */
  readonly isOpen?: boolean;
  /** Whether it reports on the process: it is answered even if another process leads. */
  readonly isOfProcess?: boolean;
  /** The name in faults of the operation that it carries out; absent if no fault can act on it. */
  readonly operation?: FaultyOperation | undefined;
  readonly handle: (call: Call, context: Context) => Answer | Promise<Answer>;
}

/**
 * A route of the API. The router, the OpenAPI document, `docs/api.md` and the clients' types are made from it.
 * `Value` is the body of a 200; `Name` are the names that a caller can set in its query or its body.
 */
export interface Route<out Value = unknown, out Name extends string = string> extends Endpoint {
  readonly summary: string;
  /** Replaces the summary where there is room. */
  readonly description?: string;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly isBodyOptional?: boolean | undefined;
  /** Of a 200. */
  readonly answer: z.ZodType;
  /** Of its errors, if they are not the plain envelope. */
  readonly refusal?: z.ZodType;
  /** The content types that a 200 can have. Default: JSON. */
  readonly contentTypes?: readonly string[];
  readonly gateway?: GatewayPart;
  /** Only for types. */
  readonly types?: { readonly value: Value; readonly name: Name };
}

/** What only a route of the gateway has: its body depends on assumptions, and the document explains each refusal. */
interface GatewayPart {
  readonly isKeyed: boolean;
  /** Absent if it takes no body. */
  readonly body?: ((assumptions: Assumptions) => DescribedBody) | undefined;
  /** The reasons for a refusal, beside those that every gateway route has. */
  readonly refusals?: readonly ("rival" | "simulation" | "notConfigured")[] | undefined;
}

/** A body of the gateway under assumptions: its schema, the rules of its members, and examples by name. */
interface DescribedBody {
  readonly schema: z.ZodType;
  readonly rules: Rules;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** What a control call asks for. */
export interface Asked<Query = unknown, Body = unknown> {
  /** The value in the route's path; empty if the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** The integration that the call acts on; null: all. */
  readonly token: string | null;
  /** The language that the call requests, if any. */
  readonly language: Language | undefined;
  readonly call: Call;
}

/** The names of an object's members, or of any members of a schema without a shape. */
export type NamesOf<Schema extends z.ZodType> =
  Schema extends z.ZodObject<infer Shape> ? keyof Shape & string : string;

/** A control route. */
type ControlRoute<
  Schema extends z.ZodType,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> = Omit<Route, "handle" | "operation" | "gateway" | "types"> & {
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Schema;
  /** The rules of the query's parameters and the body's members, in words, if the schema does not say them. */
  readonly rules?: Rules;
} & Responds<Asked<z.output<Query>, z.output<Body>>, z.output<Schema>>;

/** `run` returns the value of the response, `respond` a response that is not plain JSON. */
type Responds<Given, Value> =
  | { run(asked: Given, context: Context): Value | Promise<Value> }
  | { respond(asked: Given, context: Context): Answer<Value> | Promise<Answer<Value>> };

type None = z.ZodObject<Record<never, never>>;

/** A query or a body without members: an unknown one is refused, as one of a list is. */
const NONE = z.strictObject({});

/** Defines a control route. Its path, query and body are read and validated before it runs. */
export function route<
  Schema extends z.ZodType,
  Query extends z.ZodObject = None,
  Body extends z.ZodType = None,
>(
  definition: ControlRoute<Schema, Query, Body>,
): Route<z.output<Schema>, NamesOf<Query> | NamesOf<Body>> {
  const { query = NONE, body = NONE, isBodyOptional = body === NONE } = definition;
  const rules = { ...rulesOf(query), ...definition.rules };
  const readBody = createReader(body, rules);
  const handle = async (call: Call, context: Context): Promise<Answer> => {
    const id = readPathValue(call);
    // A body is read even if the route has no use for it.
    const sent =
      call.method === "GET" || call.method === "HEAD"
        ? undefined
        : await readMembers(call, isBodyOptional);
    const fields: FieldError[] = [];
    const draft = sent && readBody(sent, fields);
    fields.push(...repeatedParameters(call));
    if (fields.length > 0) throw invalidFields(fields);
    const asked = {
      id,
      query: readQuery(call, query, rules) as z.output<Query>,
      body: draft as z.output<Body>,
      token: readToken(call),
      language: requestedLanguage(call),
      call,
    };
    return "run" in definition
      ? toAnswer(await definition.run(asked, context))
      : definition.respond(asked, context);
  };
  return { ...definition, handle };
}

/** The rules of a query's parameters, as far as their schemas say them. */
function rulesOf({ shape }: z.ZodObject): Rules {
  const rules = Object.entries(shape).map(([name, schema]) => [name, () => ruleOf(name, schema)]);
  return Object.fromEntries(rules) as Rules;
}

function ruleOf(name: string, schema: z.core.$ZodType): Message {
  const { minimum, maximum, ...described } = z.toJSONSchema(schema, { io: "input" });
  if (minimum !== undefined)
    return say`${name} must be an integer from ${minimum} to ${String(maximum)}.`;
  const { const: only, enum: choices = [only] } = described;
  return choices[0] === undefined
    ? say`${name} must be text of at least 1 character.`
    : say`${name} must be one of ${choices.join(", ")}.`;
}

/** A parameter with an integer. */
export function integer(minimum: number, maximum: number, standard: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((number) => number >= minimum && number <= maximum)
    .default(standard)
    .meta({ type: "integer", minimum, maximum });
}

/** Parameters that are given more than once: only one of their values would count. */
function repeatedParameters({ location: { searchParams } }: Call): FieldError[] {
  const names = [...new Set(searchParams.keys())];
  return names
    .filter((name) => searchParams.getAll(name).length > 1)
    .map((field) => ({
      field,
      code: "INVALID_VALUE",
      message: say`${field} is given more than once; give it once.`,
    }));
}
