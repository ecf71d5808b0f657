import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import {
  type AssumptionChanges,
  STANDARD_ASSUMPTIONS,
  withChanges,
} from "../../src/core/assumptions/table.ts";
import { describeRoutes } from "../../src/http/openapi/describe-routes.ts";
import { allRoutes } from "../../src/http/routes/all-routes.ts";
import { type Json } from "../support/gateway.ts";

interface Parameter {
  readonly name: string;
  readonly in: "header" | "path" | "query";
  readonly required?: boolean;
  readonly schema: Json;
}

interface Media {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Json;
}

type Content = Readonly<Record<string, Media>>;

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content: Content; readonly headers?: Json }
    >
  >;
}

export interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: { readonly event: { readonly post: Operation } };
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

interface Route {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

const routes = await allRoutes();
export const standard = documentFor({});

export function documentFor(changes: AssumptionChanges): Document {
  const assumptions = withChanges(STANDARD_ASSUMPTIONS, changes);
  const described = { serverUrl: "http://127.0.0.1:7490" };
  return describeRoutes(routes, assumptions, described) as unknown as Document;
}

export interface Schemas {
  /** What is wrong with a value by a schema of the document, or a part of one. */
  errorsOf(schema: Json, value: unknown): readonly unknown[];
}

/** Reads the schemas of a document in the strictest way. */
export function compile(document: Document): Schemas {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  addFormats.default(ajv);
  // Its schemas refer to each other as what they are in the document.
  ajv.addVocabulary(["components"]);
  const { schemas } = document.components;
  ajv.addSchema({ $id: "api:", components: { schemas } });
  return {
    errorsOf: (schema, value) => {
      const reference = schema["$ref"];
      const isKept =
        typeof reference === "string"
          ? ajv.validate(`api:${reference}`, value)
          : ajv.validate(schema, value);
      return isKept ? [] : (ajv.errors ?? []);
    },
  };
}

export function routesOf({ paths }: Document): Route[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
}
