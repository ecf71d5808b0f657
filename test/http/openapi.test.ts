import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { type Assumption, ASSUMPTIONS } from "../../src/core/assumptions/table.ts";
import { startSandbox } from "../../src/server/start.ts";
import { type Acceptance, readFolder, type Refusal, requests } from "../support/fixtures.ts";
import { type Json } from "../support/gateway.ts";
import { compile, documentFor, routesOf, standard, type Document } from "./openapi.ts";

describe("the OpenAPI document", { timeout: 60_000 }, () => {
  it("has every path that is answered, with its methods, and names no other", async () => {
    await using sandbox = await startSandbox();
    const found = JSON.stringify(standard).match(/(?<!\w)\/(?:_sandbox|v\d)\/[\w/{}.-]*\w\}?/g);
    for (const path of new Set([...Object.keys(standard.paths), ...(found ?? [])])) {
      // No route takes that method, and no other path is answered 405.
      const url = path.replaceAll(/[{}]/g, "");
      const { status, headers } = await sandbox.fetch(url, { method: "OPTIONS" });
      const methods = Object.keys(standard.paths[path] ?? {}).flatMap((name) =>
        name === "get" ? ["GET", "HEAD"] : [name.toUpperCase()],
      );
      expect([path, status, headers.get("allow")]).toEqual([path, 405, methods.join(", ")]);
    }
  });

  it("is OpenAPI 3.1, with all assumptions", async () => {
    const validator = new Validator();
    for (const document of everyDocument()) {
      const copy = structuredClone(document) as unknown as Record<string, unknown>;
      expect(await validator.validate(copy)).toEqual({ valid: true });
    }
    expect(validator.version).toBe("3.1");
  });

  it("has examples that match their schemas, with all assumptions", () => {
    for (const document of everyDocument()) {
      const { errorsOf } = compile(document);
      for (const { operation } of routesOf(document))
        for (const { schema, examples = {} } of Object.values(operation.requestBody?.content ?? {}))
          for (const { value } of Object.values(examples) as { value: unknown }[])
            expect({ value, errors: errorsOf(schema, value) }).toEqual({ value, errors: [] });
    }
  });

  it("has a valid example of each response of the gateway, with its status", () => {
    const { errorsOf } = compile(standard);
    for (const { path, operation } of routesOf(standard)) {
      if (path.startsWith("/_sandbox")) continue;
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const [{ schema, example } = { schema: {} }] = Object.values(content);
        const name = String(schema["$ref"]).split("/").at(-1) ?? "";
        const [shown = example] =
          status === "200"
            ? ((standard.components.schemas[name]?.["examples"] ?? []) as unknown[])
            : [];
        const where = `${operation.operationId} ${status}`;
        expect({ where, shown, errors: errorsOf(schema, shown) }).toEqual({
          where,
          shown: expect.anything(),
          errors: [],
        });
        const { status: own = Number(status) } = (example ?? {}) as { status?: number };
        expect({ where, own }).toEqual({ where, own: Number(status) });
      }
    }
  });

  it("has schemas that compile, in the strictest way", () => {
    const { errorsOf } = compile(standard);
    for (const name of Object.keys(standard.components.schemas))
      expect([name, errorsOf({ $ref: `#/components/schemas/${name}` }, null)]).not.toEqual([
        name,
        [],
      ]);
  });

  it("refers to every schema that it has, and has every schema that it refers to", () => {
    const referred = JSON.stringify(standard).matchAll(/#\/components\/schemas\/(\w+)/g);
    const names = new Set([...referred].map(([, name]) => name));
    expect([...names].toSorted()).toEqual(Object.keys(standard.components.schemas).toSorted());
  });

  it.each([
    [{}, "post /v1/payins", "200 400 401 403 409 413 415 422 502 503"],
    [{ "error.status": "always_400" }, "post /v1/payins", "200 400 403 413 415 503"],
    [{ "rate_limit.per_minute": 9 }, "get /v1/webhooks", "200 400 403 404 429 503"],
    [{}, "put /v1/webhooks", "200 400 403 413 415 503"],
    [{ "header.missing": "unauthorized" }, "put /v1/webhooks", "200 400 401 403 413 415 503"],
    [{}, "post /v1/payins/simulations", "200 400 401 403 409 413 415 422 502 503"],
  ])("has the statuses that %j leaves for %s", (changes, route, statuses) => {
    const [method = "", path = ""] = route.split(" ");
    const { responses } = documentFor(changes).paths[path]?.[method] ?? {};
    expect(Object.keys(responses ?? {}).join(" ")).toBe(statuses);
  });

  it("has a rival's refusal and a repeat's header only if there are any", () => {
    const creation = (path: string, changes = {}) =>
      documentFor(changes).paths[path]?.["post"]?.responses ?? {};
    const isRefused = (choice: "reject" | "cancel") =>
      creation("/v1/payouts", { "payout.rival": choice })["422"]?.description.includes("progress");
    expect([isRefused("reject"), isRefused("cancel")]).toEqual([true, false]);
    const replayed = "idempotent-replayed";
    expect(creation("/v1/payins")["200"]?.headers).toHaveProperty(replayed);
    const changes = { "idempotency.repeat": "reject", "rate_limit.per_minute": 1 };
    const limited = creation("/v1/payins", changes);
    expect(limited["200"]?.headers).not.toHaveProperty(replayed);
    expect(limited["429"]?.headers).toHaveProperty("retry-after");
  });

  it("forbids undocumented members only if they are refused", () => {
    const body = { ...requests.get("payin"), note: "" };
    const schema = { $ref: "#/components/schemas/PayinsBody" };
    expect(compile(standard).errorsOf(schema, body)).toEqual([]);
    const strict = compile(documentFor({ unknown_field: "reject" }));
    expect(strict.errorsOf(schema, body)).not.toEqual([]);
  });
});

type Fixture = Refusal | Acceptance;

describe("the body of a fixture", () => {
  const { errorsOf } = compile(standard);
  const errorsFor = ({ request }: Fixture): readonly unknown[] | undefined => {
    const { path, method } = request;
    const operation = standard.paths[path]?.[method.toLowerCase()];
    const { schema } = operation?.requestBody?.content["application/json"] ?? {};
    const body = bodyOf(request);
    return schema && body !== undefined ? errorsOf(schema, body) : undefined;
  };

  it("matches its schema if it is accepted", () => {
    const errors = [...readFolder<Acceptance[]>("acceptances")].flatMap(([file, fixtures]) =>
      fixtures.map((fixture) => ({ at: `${file}: ${fixture.name}`, of: errorsFor(fixture) })),
    );
    const looked = errors.filter(({ of }) => of !== undefined);
    expect(looked.length).toBeGreaterThan(100);
    expect(looked.filter(({ of = [] }) => of.length > 0)).toEqual([]);
  });

  it("breaks its schema if a member is refused, except for decimals and addresses", () => {
    const refused = [...readFolder<Refusal[]>("refusals")].flatMap(([file, fixtures]) =>
      fixtures
        .filter(({ answer }) => answer.code === "VALIDATION_ERROR")
        .map((fixture) => ({
          file,
          name: fixture.name,
          body: bodyOf(fixture.request) as Json,
          fields: fixture.answer.errors
            .map(({ field }) => field)
            .filter((field) => !field.startsWith("x-")),
          errors: errorsFor(fixture),
        }))
        .filter(({ fields, errors }) => fields.length > 0 && errors !== undefined),
    );
    expect(refused.length).toBeGreaterThan(300);
    const kept = refused.filter(({ errors = [] }) => errors.length === 0);
    for (const { name, file, fields, body } of kept) {
      const isBeyondKeywords =
        fields.join() === "value"
          ? /\.\d{3,}$/.test(String(body["value"]))
          : fields.join() === "webhook_url" && file === "webhook-urls";
      expect([name, fields, isBeyondKeywords]).toEqual([name, fields, true]);
    }
    expect(kept.length / refused.length).toBeLessThan(0.1);
  });
});

/** The standard document, and each other one that a single choice makes of it. */
function everyDocument(): Document[] {
  const changes = Object.entries<Assumption>(ASSUMPTIONS).flatMap(([name, { choices }]) =>
    Object.keys(choices)
      .filter((choice) => !choice.startsWith("<"))
      .map((choice) => ({ [name]: choice })),
  );
  const texts = changes.map((change) => JSON.stringify(documentFor(change)));
  return [...new Set(texts)].map((text) => JSON.parse(text) as Document);
}

/** The JSON that a fixture sends; undefined where it sends something else. */
function bodyOf({ base, members, texts = {}, without = [], body }: Fixture["request"]): unknown {
  if (body !== undefined || base === undefined) return body;
  const read = Object.entries(texts).map(([name, text]) => [name, JSON.parse(text)] as const);
  const all = { ...requests.get(base), ...members, ...Object.fromEntries(read) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
}
