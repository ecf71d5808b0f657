import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ControlToken } from "../../../src/http/context/control-token.ts";
import type { HttpRefusal } from "../../../src/http/calls/refusals.ts";
import { ENDPOINTS } from "../../../src/http/routes/table.ts";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";
import { type Answer, call, type Call, type Json, send } from "../../support/gateway.ts";

const TOKEN = "correct-horse:battery/staple";
const BEARER = { authorization: `Bearer ${TOKEN}` };
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const basic = (password: string, user = "") => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

/** The endpoints that need no token, of those that exist. */
const OPEN: ReadonlySet<string> = new Set([
  "GET /_sandbox/health",
  "GET /_sandbox/ready",
  "GET /_sandbox/pay/{id}",
  "POST /_sandbox/pay/{id}",
]);

const endpoints = ENDPOINTS.map(([key, endpoint]) => {
  const [method = "", path = ""] = key.split(" ");
  return { method, path, isOpen: endpoint.isOpen === true, isRoute: "answer" in endpoint };
})
  // It leads to the inspector.
  .filter(({ path }) => path !== "/");
const control = endpoints.filter(({ path }) => path.startsWith("/_sandbox"));
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const protectedOnes = control.filter((one) => !OPEN.has(nameOf(one)));

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ controlToken: TOKEN, corsOrigins: ["http://app.example"] });
});
afterAll(() => sandbox.close());

function ask(request: Call, to = sandbox): Promise<Answer> {
  const { headers } = request;
  return call(to, { ...request, headers: { "x-api-token": undefined, ...headers } });
}

/** The status and the challenge that a call with these headers gets; undefined if it passes. */
function refusalOf(
  headers: Record<string, string>,
  { method = "GET", address = "::1", token = new ControlToken(TOKEN) } = {},
) {
  try {
    token.check({ address, method, headers });
  } catch (error) {
    const { status, headers: sent } = error as HttpRefusal;
    return `${status} ${sent?.["www-authenticate"] ?? ""}`.trim();
  }
  return undefined;
}

describe("a control token", () => {
  it.each([
    [{}],
    [{ authorization: TOKEN }],
    [{ authorization: "Bearer" }],
    [{ authorization: `Bearer ${TOKEN}x` }],
    [{ authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    [{ authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` }],
    [{ authorization: `Basic ${TOKEN}` }],
    [basic("wrong", TOKEN)],
  ])("is missing or wrong: %j", (headers) => {
    expect(refusalOf(headers)).toBe("401 Bearer");
  });

  it.each([
    `BEARER   ${TOKEN} `,
    basic(` ${TOKEN}\n`, "maria").authorization,
    basic(TOKEN).authorization.replace("Basic", "basic  "),
  ])("is right, with blanks around it and its scheme in any case: %s", (authorization) => {
    expect(refusalOf({ authorization })).toBeUndefined();
  });

  it("is requested as a password of a browser that opens a page, and of no script", () => {
    for (const headers of [BROWSER, { ...BROWSER, ...basic("wrong") }])
      expect(refusalOf(headers)).toBe('401 Basic realm="pix-sandbox"');
    expect(refusalOf({ accept: "*/*" })).toBe("401 Bearer");
    for (const method of ["POST", "HEAD"])
      expect(refusalOf(BROWSER, { method })).toBe("401 Bearer");
  });

  it("may be guessed ten times a minute from each address; a right one always passes", () => {
    let nowMs = 0;
    const token = new ControlToken(TOKEN, () => nowMs);
    const guess = (address = "::1") => refusalOf(basic("guess"), { token, address });
    for (; nowMs < 10_000; nowMs += 1000) expect(guess()).toBe("401 Bearer");
    expect([guess(), refusalOf(BEARER, { token })]).toEqual(["429", undefined]);
    // A call without a token guesses nothing.
    expect([refusalOf({}, { token }), guess("10.0.0.1")]).toEqual(["401 Bearer", "401 Bearer"]);
    nowMs = 60_000;
    expect([guess(), guess()]).toEqual(["401 Bearer", "429"]);
  });
});

describe("a sandbox with a control token", () => {
  it("protects all control routes but those of the contract", () => {
    const open = endpoints.filter(({ isOpen }) => isOpen).map(nameOf);
    expect(open.toSorted()).toEqual(
      control
        .map(nameOf)
        .filter((name) => OPEN.has(name))
        .toSorted(),
    );
    expect(protectedOnes.length).toBeGreaterThan(35);
  });

  it.each(protectedOnes.map((one) => [nameOf(one), one] as const))(
    "requires it at %s",
    async (_name, { method, path }) => {
      const request = { method, path: path.replaceAll(/\{\w+\}/g, "unknown") };
      expect(await ask(request)).toMatchObject({
        status: 401,
        json: { message: expect.stringContaining("PIX_SANDBOX_CONTROL_TOKEN") },
      });
      // Only some wrong ones a minute are refused with 401.
      const wrong = await ask({ ...request, headers: basic("wrong") });
      expect([401, 429]).toContain(wrong.status);
      // A stream and a wait do not answer at once. The inspector's files and a trace are code, in which anything can
      // look like a stack trace; a browser loads them with the token in test/process/inspector.
      if (/events$|wait$|trace$|_sandbox\/(?:inspector\.\w+)?$/.test(path)) return;
      const body = method === "GET" ? undefined : {};
      for (const headers of [BEARER, basic(TOKEN, "maria")])
        expect((await ask({ ...request, headers, body })).status).not.toBe(401);
    },
  );

  it("protects a HEAD like its GET, and not that of the health check", async () => {
    const head = { method: "HEAD", path: "/_sandbox/secret" };
    expect((await ask(head)).status).toBe(401);
    expect((await ask({ ...head, headers: BEARER })).status).toBe(200);
    for (const method of ["GET", "HEAD"])
      expect((await ask({ method, path: "/_sandbox/health" })).status).toBe(200);
  });

  it.each(["//_sandbox/secret", "/_SANDBOX/secret", "/_sandbox/unknown"])(
    "answers 404 with and without the token: %s",
    async (path) => {
      for (const headers of [{}, BEARER]) {
        const { status, text } = await ask({ method: "GET", path, headers });
        expect({ path, status }).toEqual({ path, status: 404 });
        expect(text).not.toContain("whsec_");
      }
    },
  );

  it("checks host, origin, path and method first, and nothing else", async () => {
    const secret = { method: "GET", path: "/_sandbox/secret" };
    for (const [status, request] of [
      [400, { ...secret, headers: { host: "%" } }],
      [403, { ...secret, headers: { host: "merchant.example" } }],
      [403, { ...secret, headers: { origin: "http://merchant.example" } }],
      [405, { ...secret, method: "DELETE" }],
      [401, { ...secret, headers: { "x-api-token": "" } }],
      [401, { path: "/_sandbox/faults", headers: { "content-type": "text/plain" }, body: "no" }],
    ] as const)
      expect(await ask(request)).toMatchObject({ status });
  });

  it("answers 401 whatever the choice of statuses is, in the language of the call", async () => {
    await using other = await startSandbox({
      controlToken: TOKEN,
      assumptions: { "error.status": "always_400", "error.language": "pt" },
    });
    const refused = await other.fetch("/_sandbox/secret");
    expect(refused.status).toBe(401);
    expect(((await refused.json()) as Json)["message"]).toContain("protegido por um token");
  });
});

describe("the responses of control routes", () => {
  const SAFE = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  };

  it("are for this origin only, and of the type that they name", async () => {
    const paths = control
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, "unknown"))
      // A stream and a wait do not answer at once.
      .filter((path) => !/events$|wait$/.test(path));
    for (const path of new Set([...paths, "/", "/_sandbox/unknown", "/_sandbox//env"]))
      for (const headers of [{}, BEARER]) {
        const answer = await fetch(sandbox.url + path, { headers, redirect: "manual" });
        expect({ path, ...Object.fromEntries(answer.headers) }).toMatchObject({ path, ...SAFE });
      }
    // They are so when they are refused before their route is known.
    for (const request of [
      { path: "/_sandbox/%zz" },
      { path: "/_sandbox/env", method: "DELETE" },
      { path: "/_sandbox/env", headers: { host: "%" } },
      { path: "/_sandbox/env", method: "OPTIONS", headers: { origin: "http://app.example" } },
    ])
      expect((await send(sandbox, request)).headers).toMatchObject(SAFE);
  });
});

it("is named by the OpenAPI document at each protected route, with its 401", async () => {
  const path = "/_sandbox/openapi.json";
  const document = (await ask({ method: "GET", path, headers: BEARER })).json as Document;
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  expect(document.components.securitySchemes).toEqual({
    controlToken: { type: "http", scheme: "bearer" },
  });
  for (const { path: of, method } of endpoints.filter(({ isRoute }) => isRoute)) {
    const { security } = document.paths[of]?.[method.toLowerCase()] ?? {};
    const needsToken = of.startsWith("/_sandbox") && !OPEN.has(`${method} ${of}`);
    const expected = needsToken ? [{ controlToken: [] }] : undefined;
    expect({ of, security }).toEqual({ of, security: expected });
  }
});

interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly security?: unknown; readonly responses: Json }>>
  >;
  readonly components: { readonly securitySchemes?: Json };
}
