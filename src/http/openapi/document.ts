import type { JsonSchema } from "../definitions/json-schema.ts";

/** An OpenAPI 3.1 document. */
export interface ApiDescription {
  readonly openapi: string;
  readonly info: JsonSchema;
  readonly servers: readonly JsonSchema[];
  readonly security: readonly JsonSchema[];
  readonly tags: readonly JsonSchema[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly webhooks: JsonSchema;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes?: Readonly<Record<string, JsonSchema>>;
  };
}
