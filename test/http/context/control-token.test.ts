import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ControlToken } from "../../../src/http/context/control-token.ts";
import type { HttpRefusal } from "../../../src/http/calls/refusals.ts";
import { ENDPOINTS } from "../../../src/http/routes/table.ts";
import { type Sandbox, startSandbox } from "../../../src/server/start.ts";
import { type Answer, call, type Call, type Json } from "../../support/gateway.ts";

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

/** The refusal of a call with these headers, if they hold no right token. */
function refusalOf(
  headers: Record<string, string>,
  method = "GET",
  token = new ControlToken(TOKEN),
) {
  try {
    token.check({ address: "::1", method, headers });
  } catch (refusal) {
    return refusal as HttpRefusal;
  }
  return undefined;
}

describe("a control token", () => {
  it.each([
    [{}],
    [{ authorization: TOKEN }],
    [{ authorization: "Bearer" }],
    [{ authorization: "Bearer no" }],
    [{ authorization: `Bearer ${TOKEN}x` }],
    [{ authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    [{ authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` }],
    [{ authorization: "Basic" }],
    [{ authorization: `Basic ${TOKEN}` }],
    [{ authorization: `Basic ${Buffer.from(TOKEN.replace(":", "-")).toString("base64")}` }],
    [basic("wrong")],
    [basic("wrong", TOKEN)],
  ])("is missing or wrong: %j", (headers) => {
    expect(refusalOf(headers)).toMatchObject({
      status: 401,
      code: "NO_ACTIVE_CREDENTIAL",
      headers: { "www-authenticate": "Bearer" },
    });
  });

  it.each([
    `bearer ${TOKEN}`,
    `BEARER   ${TOKEN}`,
    `Bearer ${TOKEN} `,
    basic(TOKEN).authorization,
    basic(` ${TOKEN}\n`, "maria").authorization,
    basic(TOKEN).authorization.replace("Basic", "basic  "),
  ])("is right, with blanks around it and its scheme in any case: %s", (authorization) => {
    expect(refusalOf({ authorization })).toBeUndefined();
  });

  it("is requested as a password of a browser that opens a page, and of no script", () => {
    const challenges = [
      refusalOf(BROWSER),
      refusalOf({ ...BROWSER, ...basic("wrong") }),
      refusalOf({ accept: "*/*" }),
      refusalOf({ accept: "text/event-stream" }),
      refusalOf(BROWSER, "POST"),
      refusalOf(BROWSER, "HEAD"),
    ].map((refusal) => refusal?.headers?.["www-authenticate"]);
    const password = 'Basic realm="pix-sandbox"';
    expect(challenges).toEqual([password, password, "Bearer", "Bearer", "Bearer", "Bearer"]);
  });

  it("may be guessed ten times a minute from each address; a right one always passes", () => {
    let nowMs = 0;
    const token = new ControlToken(TOKEN, () => nowMs);
    const statusFor = (headers: Record<string, string>) => refusalOf(headers, "GET", token)?.status;
    for (let second = 0; second < 10; second++) {
      nowMs = second * 1000;
      expect(statusFor(basic("guess"))).toBe(401);
    }
    expect(statusFor(basic("guess"))).toBe(429);
    expect(statusFor(BEARER)).toBeUndefined();
    // A call without a token guesses nothing.
    expect(statusFor({})).toBe(401);
    const other = { address: "10.0.0.1", method: "GET", headers: basic("guess") };
    expect(() => token.check(other)).toThrow(expect.objectContaining({ status: 401 }));
    nowMs = 60_000;
    expect([statusFor(basic("guess")), statusFor(basic("guess"))]).toEqual([401, 429]);
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

  it("protects no gateway route", async () => {
    for (const path of ["/v1/payins", "/v2/payins"])
      expect(await call(sandbox, { path, body: {} })).toMatchObject({
        status: 400,
        headers: { "x-content-type-options": "nosniff" },
        json: { code: "VALIDATION_ERROR" },
      });
  });

  it.each(["//_sandbox/secret", "/%5fsandbox/secret", "/_SANDBOX/secret", "/_sandbox/unknown"])(
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
    const refused = [
      ask({ ...secret, headers: { host: "%" } }),
      ask({ ...secret, headers: { host: "merchant.example" } }),
      ask({ ...secret, headers: { origin: "http://merchant.example" } }),
      ask({ ...secret, method: "DELETE" }),
      ask({ ...secret, headers: { "x-api-token": "" } }),
      ask({ path: "/_sandbox/faults", headers: { "content-type": "text/plain" }, body: "no" }),
    ];
    const statuses = (await Promise.all(refused)).map(({ status }) => status);
    expect(statuses).toEqual([400, 403, 403, 405, 401, 401]);
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

  it("lets a page of an allowed origin read the refusal, and send the token", async () => {
    const origin = { origin: "http://app.example" };
    const preflight = await fetch(`${sandbox.url}/_sandbox/secret`, {
      method: "OPTIONS",
      headers: { ...origin, "access-control-request-headers": "authorization" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization");
    const refused = await fetch(`${sandbox.url}/_sandbox/secret`, { headers: origin });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(origin.origin);
    expect(refused.headers.get("access-control-allow-credentials")).toBeNull();
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
      for (const sent of [{}, BEARER]) {
        const answer = await fetch(sandbox.url + path, { headers: sent, redirect: "manual" });
        expect({ path, ...Object.fromEntries(answer.headers) }).toMatchObject({ path, ...SAFE });
      }
  });

  it("are so when they are refused before their route is known", async () => {
    for (const request of [
      { path: "/_sandbox/%zz" },
      { path: "/_sandbox/env", method: "DELETE" },
      { path: "/_sandbox/env", headers: { host: "%" } },
      { path: "/_sandbox/env", headers: { host: "merchant.example" } },
    ])
      expect((await ask(request)).headers).toMatchObject(SAFE);
    const preflight = { method: "OPTIONS", headers: { origin: "http://app.example" } };
    const { headers } = await fetch(`${sandbox.url}/_sandbox/env`, preflight);
    expect(Object.fromEntries(headers)).toMatchObject(SAFE);
  });
});

describe("the OpenAPI document of a sandbox", { timeout: 60_000 }, () => {
  const path = "/_sandbox/openapi.json";

  it("names the token at each protected route of a protected sandbox, with its 401", async () => {
    const { json } = await ask({ method: "GET", path, headers: BEARER });
    const document = json as Document;

    expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
    expect(document.components.securitySchemes).toEqual({
      controlToken: {
        type: "http",
        scheme: "bearer",
        description: "The control token that the sandbox was started with.",
      },
      controlTokenAsPassword: {
        type: "http",
        scheme: "basic",
        description: "The control token as the password, with any user name.",
      },
    });
    for (const { path: of, method } of endpoints.filter(({ isRoute }) => isRoute)) {
      const { security } = document.paths[of]?.[method.toLowerCase()] ?? {};
      const needsToken = of.startsWith("/_sandbox") && !OPEN.has(`${method} ${of}`);
      expect({ of, security }).toEqual({
        of,
        security: needsToken ? [{ controlToken: [] }, { controlTokenAsPassword: [] }] : undefined,
      });
    }
  });
});

interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly security?: unknown; readonly responses: Json }>>
  >;
  readonly components: { readonly securitySchemes?: Json };
}
