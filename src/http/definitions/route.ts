import type * as z from "zod";
import type { Assumptions } from "../../core/assumptions/table.ts";
import type { FaultyOperation } from "../../core/faults/effects.ts";
import type { Eventually } from "../../core/state/ports.ts";
import type { Method, WireRoute } from "../../core/state/wire-routes.ts";
import type { Answer } from "../calls/answer.ts";
import type { Rules } from "../parse/readers.ts";
import type { Call } from "../calls/call.ts";
import type { Context } from "../context/context.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { RefusalName } from "./refusals.ts";

/** A JSON body, as the OpenAPI document describes it. */
export interface RouteBody {
  /** The name of its schema in the document. */
  readonly id: string;
  readonly isOptional?: boolean;
  /** The schema that validates it, the rules of its members in words, and examples by name. */
  readonly describe: (assumptions: Assumptions) => {
    readonly schema: z.ZodType;
    readonly rules?: Rules;
    readonly examples: Readonly<Record<string, unknown>>;
  };
}

/** One method of one path, as the router needs it. */
export interface Endpoint {
  /** Parameters stand in braces: `/_sandbox/payins/{id}`. */
  readonly path: string;
  readonly method: Method;
  /** Whether a sandbox with a control token answers it to everyone. */
  readonly isOpen?: boolean;
  /** Whether it reports on the process: it is answered even if another process leads. */
  readonly isOfProcess?: boolean;
  /** The name in faults of the operation that it carries out; absent if no fault can act on it. */
  readonly operation?: FaultyOperation | undefined;
  readonly handle: (call: Call, context: Context) => Eventually<Answer>;
}

/** One method of one path of the API: the router and the OpenAPI document are made from it. */
export interface Route extends Endpoint {
  /** The operation's id in the document. */
  readonly id: string;
  readonly tag: "Gateway" | "Records" | "Webhooks" | "Clock" | "Faults" | "Sandbox";
  readonly summary: string;
  /** The headers that identify the caller; `integration` is the optional `x-api-token`. */
  readonly caller?: "identified" | "identified, with key" | "integration";
  readonly query?: z.ZodObject;
  readonly body?: RouteBody;
  /** The schema of a 200; its metadata names it in the document. */
  readonly answer: z.ZodType;
  /** The content types that a 200 can have in place of JSON, each with an example. */
  readonly otherTypes?: Readonly<Record<string, string>>;
  /** Schemas of other statuses that are not the error envelope. */
  readonly otherAnswers?: Readonly<Record<number, z.ZodType>>;
  /** Reasons for a refusal, beside those of every route and those of its body and query. */
  readonly refusals?: readonly RefusalName[];
  /** For a stream of server-sent events, each of which matches `answer`. */
  readonly stream?: {
    readonly description: string;
    readonly parameters: readonly JsonSchema[];
    /** The schemas of the events' data. */
    readonly data: readonly z.ZodType[];
    readonly example: string;
  };
}

/** Defines a page, or the target of its form: the OpenAPI document, which is the API's, does not describe it. */
export function definePage(page: Endpoint): Endpoint {
  return page;
}

/** Defines a route. `answer` types the value that `handle` returns, which clients read as the response of `at`. */
export function defineRoute<Response, Schema extends z.ZodType<Response>>({
  at: { path, method },
  ...route
}: Omit<Route, "path" | "method" | "answer" | "handle"> & {
  readonly at: WireRoute<Response>;
  readonly answer: Schema;
  readonly handle: (call: Call, context: Context) => Promise<Answer<z.output<Schema>>>;
}): Route {
  return { path, method, ...route };
}

/** A body whose schema does not depend on assumptions. */
export function fixedBody(
  id: string,
  schema: z.ZodType,
  examples: Readonly<Record<string, unknown>>,
): RouteBody {
  return { id, describe: () => ({ schema, examples }) };
}
