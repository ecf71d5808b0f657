import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import {
  type AssumptionChanges,
  STANDARD_ASSUMPTIONS,
  withChanges,
} from "../../src/core/assumptions/table.ts";
import { describeApi } from "../../src/http/openapi/document.ts";
import type { Answer, Call, Json } from "../support/gateway.ts";

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
  readonly description?: string;
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
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: { readonly event: { readonly post: Operation } };
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

interface Route {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export const standard = documentFor({});

export function documentFor(changes: AssumptionChanges): Document {
  const assumptions = withChanges(STANDARD_ASSUMPTIONS, changes);
  return describeApi(assumptions) as unknown as Document;
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
  const known = new WeakMap<Json, Json>();
  return {
    errorsOf: (schema, value) => {
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"api:#/components/');
      const own = known.get(schema) ?? (JSON.parse(text) as Json);
      known.set(schema, own);
      return ajv.validate(own, value) ? [] : (ajv.errors ?? []);
    },
  };
}

/** What of a response is not as the document describes it; nothing for a path that it does not have. */
export function differencesOf(
  document: Document,
  { errorsOf }: Schemas,
  { method = "POST", path }: Call,
  { status, headers, text, json }: Answer,
): readonly unknown[] {
  const operation = operationAt(document, method, path);
  if (!operation || text === "") return [];
  const { responses } = operation;
  const described = responses[status] ?? responses["default"];
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const schema = described?.content[type]?.schema;
  return schema ? errorsOf(schema, json ?? text) : [`no ${status} of ${type}`];
}

/** The operation at an address. A path without parameters goes before one that has them. */
export function operationAt(document: Document, method: string, address: string) {
  const [path = ""] = address.split("?");
  const methods =
    document.paths[path] ??
    Object.entries(document.paths).find(([template]) =>
      new RegExp(`^${template.replace(/{\w+}/, "[^/]+")}$`).test(path),
    )?.[1];
  return methods?.[method.toLowerCase()];
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
