/** The parts of an OpenAPI document that a collection contains. */
export interface CollectionDocument {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: object }>> }>
    >;
  };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly enum?: readonly string[]; readonly default?: string | number };
}

const VARIABLES = {
  url: "http://127.0.0.1:7490",
  token: "sandbox",
  provider_id: "42",
  provider: "Loja da Maria",
  country_code: "BR",
  // No application listens on this port. A user sets the address of the shop's webhook handler.
  webhook_url: "http://127.0.0.1:9/webhooks/pix",
  snapshot: "before",
};

/** The value of each header. Bruno draws a new key for each call. */
const HEADERS: Readonly<Record<string, string>> = {
  "x-api-token": "{{token}}",
  "x-provider-id": "{{provider_id}}",
  "x-provider": "{{provider}}",
  "x-country-code": "{{country_code}}",
  "x-idempotency-key": "{{$randomUUID}}",
  "x-sandbox-fault": "error=EXTERNAL_ERROR",
};

/** The variables that a response sets, and the members with their values. Later requests use the variables. */
const RESULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createPayin: { payin_id: "id", qr_code: "qr_code" },
  createPayinV2: { payin_id: "id", qr_code: "qr_code" },
  createPayout: { payout_id: "id" },
  listDeliveries: { delivery_id: "data[0].id" },
  createFault: { fault_id: "id" },
};

/** The variable of the id in a path. */
const IDS: Readonly<Record<string, string>> = {
  payins: "payin_id",
  payouts: "payout_id",
  deliveries: "delivery_id",
  faults: "fault_id",
};

/** Renders a Bruno collection of every route but streams. @returns the text of each file, by its path */
export function renderBruno({ tags, paths }: CollectionDocument): Map<string, string> {
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ operation }) => !isStream(operation));
  const files = new Map([
    ["bruno.json", toJson({ version: "1", name: "pix-sandbox", type: "collection" })],
    ["environments/local.bru", join([block("vars", pairs(VARIABLES))])],
  ]);
  for (const [index, { name, description = "" }] of tags.entries()) {
    files.set(
      `${name}/folder.bru`,
      join([
        block("meta", pairs({ name, seq: String(index + 1) })),
        block("docs", description.split("\n")),
      ]),
    );
    operations
      .filter(({ operation }) => operation.tags.includes(name))
      .forEach(({ path, method, operation }, position) => {
        const text = renderRequest(path, method, operation, position + 1);
        files.set(`${name}/${operation.operationId}.bru`, text);
      });
  }
  return files;
}

function renderRequest(
  path: string,
  method: string,
  operation: Operation,
  position: number,
): string {
  const { operationId, summary, description = summary, parameters = [] } = operation;
  const body = exampleOf(operation, path);
  const of = (place: string): readonly string[] =>
    parameters.filter((one) => one.in === place).map((one) => describe(one));
  const results = Object.entries(RESULTS[operationId] ?? {});
  return join([
    block("meta", pairs({ name: operationId, type: "http", seq: String(position) })),
    block(
      method,
      pairs({
        url: `{{url}}${withVariables(path)}`,
        body: body === undefined ? "none" : "json",
        auth: "none",
      }),
    ),
    block("params:query", of("query")),
    block("headers", of("header")),
    block("body:json", body === undefined ? [] : JSON.stringify(body, null, 2).split("\n")),
    block(
      "vars:post-response",
      results.map(([variable, member]) => `${variable}: res("${member}")`),
    ),
    block("docs", description.split("\n")),
  ]);
}

/** An optional parameter is turned off, which `~` means. */
function describe({ name, in: place, required = false, schema }: Parameter): string {
  const sample = String(schema.enum?.[0] ?? schema.default ?? "");
  const value = place === "header" ? (HEADERS[name] ?? "") : sample;
  return `${required ? "" : "~"}${name}: ${value}`.trimEnd();
}

/** The first example of the body, with variables for what depends on the user and on earlier calls. */
function exampleOf({ requestBody }: Operation, path: string): object | undefined {
  const [example] = Object.values(requestBody?.content["application/json"]?.examples ?? {});
  if (example === undefined) return undefined;
  const variables: Readonly<Record<string, string>> = {
    webhook_url: "{{webhook_url}}",
    code: "{{qr_code}}",
    transaction_id: path.includes("payouts") ? "{{payout_id}}" : "{{payin_id}}",
  };
  return Object.fromEntries(
    Object.entries(example.value).map(([name, value]) => [
      name,
      variables[name] ?? (value as unknown),
    ]),
  );
}

function withVariables(path: string): string {
  const [, list = ""] = /\/(\w+)\/\{id\}/.exec(path) ?? [];
  return path.replace("{id}", `{{${IDS[list] ?? ""}}}`).replace("{name}", "{{snapshot}}");
}

function isStream({ responses }: Operation): boolean {
  return Object.values(responses).some(({ content = {} }) => "text/event-stream" in content);
}

function pairs(members: Readonly<Record<string, string>>): string[] {
  return Object.entries(members).map(([name, value]) => `${name}: ${value}`);
}

/** A block of Bruno's language; empty without lines. */
function block(name: string, lines: readonly string[]): string {
  return lines.length === 0
    ? ""
    : `${name} {\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n}`;
}

function join(blocks: readonly string[]): string {
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
