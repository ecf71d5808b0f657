import { Validator } from "@seriousme/openapi-schema-validator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ControlToken } from "../../../src/http/context/control-token.ts";
import { allPages, allRoutes } from "../../../src/http/routes/all-routes.ts";
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

const endpoints = [...(await allRoutes()), ...(await allPages())].filter(
  // It leads to the inspector.
  ({ path }) => path !== "/",
);
const control = endpoints.filter(({ path }) => path.startsWith("/_sandbox"));
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const protectedOnes = control.filter((one) => !OPEN.has(nameOf(one)));

// One for each test: wrong tokens are counted.
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ controlToken: TOKEN, corsOrigins: ["http://app.example"] });
});
afterEach(() => sandbox.close());

function ask(request: Call): Promise<Answer> {
  const { headers } = request;
  return call(sandbox, { ...request, headers: { "x-api-token": undefined, ...headers } });
}

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
    "answers 401 without the token: %s",
    async (_name, { method, path }) => {
      const request = { method, path: path.replaceAll(/\{\w+\}/g, "unknown") };
      for (const authorization of [
        undefined,
        TOKEN,
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        `Bearer ${TOKEN}x`,
        `Bearer ${TOKEN.slice(0, -1)}`,
        `Basic ${TOKEN}`,
        "Basic",
        basic("wrong").authorization,
        basic("wrong", TOKEN).authorization,
        `Basic ${Buffer.from(TOKEN.replace(":", "-")).toString("base64")}`,
        `Bearer ${TOKEN}, Bearer ${TOKEN}`,
      ]) {
        const { status, headers, json } = await ask({ ...request, headers: { authorization } });
        expect({ authorization, status }).toEqual({ authorization, status: 401 });
        expect(headers["www-authenticate"]).toBe("Bearer");
        expect(json).toEqual({
          message: expect.stringContaining("PIX_SANDBOX_CONTROL_TOKEN"),
          code: "NO_ACTIVE_CREDENTIAL",
          errors: [],
        });
      }
    },
  );

  it.each(
    protectedOnes
      // A stream and a wait do not answer at once. The inspector's files and a trace are code, in which anything can
      // look like a stack trace; a browser loads them with the token in test/process/inspector.
      .filter(({ path }) => !/events$|wait$|trace$|_sandbox\/(?:inspector\.\w+)?$/.test(path))
      .map((one) => [nameOf(one), one] as const),
  )("answers with the token: %s", async (_name, { method, path }) => {
    const request = { method, path: path.replaceAll(/\{\w+\}/g, "unknown"), headers: BEARER };
    const { status } = await ask({ ...request, body: method === "GET" ? undefined : {} });
    expect(status).not.toBe(401);
  });

  it("answers the health check without the token", async () => {
    const health = { method: "GET", path: "/_sandbox/health" };
    expect(await ask(health)).toMatchObject({ status: 200, json: { status: "ok" } });
    expect((await ask({ ...health, method: "HEAD" })).status).toBe(200);
  });

  it("protects a HEAD like its GET", async () => {
    const head = { method: "HEAD", path: "/_sandbox/secret" };
    expect((await ask(head)).status).toBe(401);
    expect((await ask({ ...head, headers: BEARER })).status).toBe(200);
  });

  it("accepts the scheme in any case, and blanks around the token", async () => {
    for (const authorization of [`bearer ${TOKEN}`, `BEARER   ${TOKEN}`, ` Bearer ${TOKEN} `]) {
      const request = { method: "GET", path: "/_sandbox/secret", headers: { authorization } };
      expect({ authorization, ...(await ask(request)) }).toMatchObject({ status: 200 });
    }
  });

  it("protects no gateway route", async () => {
    const { status, json } = await call(sandbox, { method: "POST", path: "/v1/payins", body: {} });
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it.each([
    "//_sandbox/secret",
    "/./_sandbox/secret",
    "/v1/../_sandbox/secret",
    "/_sandbox//secret",
    "/_sandbox/./secret",
    "/_sandbox/health/../secret",
    "/%5fsandbox/secret",
    "/_sandbox/%73ecret",
    "/_sandbox/pay/../secret",
    "/_SANDBOX/secret",
    "/_sandbox/unknown",
    "/_sandboxes",
  ])("answers 404 with and without the token: %s", async (path) => {
    for (const headers of [{}, BEARER]) {
      const { status, text } = await ask({ method: "GET", path, headers });
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(text).not.toContain("whsec_");
    }
  });

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

  it("shows the token nowhere", async () => {
    const shown = await Promise.all(
      ["env", "secret", "requests", "assumptions", "integrations", "openapi.json"].map((path) =>
        ask({ method: "GET", path: `/_sandbox/${path}`, headers: BEARER }),
      ),
    );
    const refused = await ask({
      method: "GET",
      path: "/_sandbox/env",
      headers: { authorization: "Bearer guess" },
    });
    for (const { text, headers } of [...shown, refused]) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain("guess");
      expect(JSON.stringify(headers)).not.toContain(TOKEN);
    }
  });

  it("delivers to its own receiver, which needs no token from it", async () => {
    const sink = `${sandbox.url}/_sandbox/sink/order-1`;
    const { json } = await call(sandbox, {
      path: "/v1/payins",
      token: "sink",
      body: {
        value: 10.5,
        buyer_cpf: "12345678909",
        buyer_name: "Maria",
        buyer_email: "maria@example.com",
        webhook_url: sink,
      },
    });
    const { id } = json as { id: string };
    const pay = await ask({ path: `/_sandbox/payins/${id}/pay`, headers: BEARER });
    expect(pay.status).toBe(200);
    await ask({ path: "/_sandbox/settle", headers: BEARER });
    const received = await ask({ method: "GET", path: "/_sandbox/sink", headers: BEARER });
    expect(received.json).toMatchObject({ data: [{ sink: "order-1" }] });
  });
});

describe("the token as a password", () => {
  const secret = { method: "GET", path: "/_sandbox/secret" };

  it("opens every control route, with any user name", async () => {
    for (const headers of [
      basic(TOKEN),
      basic(TOKEN, "maria"),
      basic(` ${TOKEN}\n`),
      { authorization: basic(TOKEN).authorization.replace("Basic", "basic  ") },
    ])
      expect((await ask({ ...secret, headers })).status).toBe(200);
    const stream = await fetch(`${sandbox.url}/_sandbox/events`, { headers: basic(TOKEN) });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  it("is requested of a browser that opens a page, and of no script", async () => {
    const page = await ask({ method: "GET", path: "/_sandbox/", headers: BROWSER });
    expect(page).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Basic realm="pix-sandbox"' },
      json: { message: expect.stringContaining("as the password, with any user name") },
    });
    const wrong = await ask({ ...secret, headers: { ...BROWSER, ...basic("wrong") } });
    expect(wrong).toMatchObject({ status: 401, headers: { "www-authenticate": /^Basic / } });
    for (const [method, accept] of [
      ["GET", "*/*"],
      ["GET", "text/event-stream"],
      ["POST", BROWSER.accept],
      ["HEAD", BROWSER.accept],
    ] as const) {
      const { headers } = await ask({ method, path: "/_sandbox/sink/one", headers: { accept } });
      expect(headers["www-authenticate"] ?? "Bearer").toBe("Bearer");
    }
  });

  it("is refused from a page of another origin or site", async () => {
    for (const headers of [
      { origin: "http://merchant.example" },
      { origin: "http://127.0.0.1:1" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      const reset = { path: "/_sandbox/reset", headers: { ...headers, ...basic(TOKEN) } };
      expect({ headers, status: (await ask(reset)).status }).toEqual({ headers, status: 403 });
    }
  });
});

describe("wrong control tokens", () => {
  const env = { method: "GET", path: "/_sandbox/env" };
  const guess = (number: number): Promise<Answer> => {
    const sent = `guess-${number}`;
    const headers = number % 2 === 0 ? basic(sent) : { authorization: `Bearer ${sent}` };
    return ask({ ...env, headers });
  };

  it("are refused with 429 from the eleventh of a minute on; a right one always passes", async () => {
    for (let number = 1; number <= 10; number++) expect((await guess(number)).status).toBe(401);
    for (const number of [11, 12]) {
      const refused = await guess(number);
      expect(refused).toMatchObject({
        status: 429,
        json: { code: "NOT_PROCESSABLE", message: expect.stringContaining("wrong control tokens") },
      });
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
      expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
    }

    for (const headers of [BEARER, basic(TOKEN)])
      expect((await ask({ ...env, headers })).status).toBe(200);
    // A call without a token guesses nothing.
    expect((await ask(env)).status).toBe(401);
  });

  it("are counted for a minute, and for each address", () => {
    let nowMs = 0;
    const token = new ControlToken(TOKEN, () => nowMs);
    const statusFrom = (address: string, sent = "guess") =>
      token.refusalOf({ address, method: "GET", headers: basic(sent) })?.status;
    for (let second = 0; second < 10; second++) {
      nowMs = second * 1000;
      expect(statusFrom("10.0.0.1")).toBe(401);
    }
    expect(statusFrom("10.0.0.1")).toBe(429);
    expect(statusFrom("10.0.0.1", TOKEN)).toBeUndefined();
    expect(statusFrom("::1")).toBe(401);
    nowMs = 59_999;
    expect(statusFrom("10.0.0.1")).toBe(429);
    nowMs = 60_000;
    expect([statusFrom("10.0.0.1"), statusFrom("10.0.0.1")]).toEqual([401, 429]);
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

  it("share the first with the JSON of the gateway", async () => {
    for (const path of ["/v1/payins", "/v2/payins"])
      expect(await call(sandbox, { path, body: {} })).toMatchObject({
        status: 400,
        headers: { "x-content-type-options": "nosniff" },
      });
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
    });
    for (const { path: of, method } of await allRoutes()) {
      const { security, responses } = document.paths[of]?.[method.toLowerCase()] ?? {};
      const needsToken = of.startsWith("/_sandbox") && !OPEN.has(`${method} ${of}`);
      expect({ of, security }).toEqual({
        of,
        security: needsToken ? [{ controlToken: [] }] : undefined,
      });
      if (of.startsWith("/_sandbox"))
        for (const status of ["401", "429"]) expect(status in (responses ?? {})).toBe(needsToken);
    }
  });

  it("describes no token of a sandbox without one", async () => {
    await using open = await startSandbox();
    const text = await (await open.fetch(path)).text();
    expect(text).not.toContain("securitySchemes");
    expect(text).not.toContain("noControlToken");
  });
});

interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly security?: unknown; readonly responses: Json }>>
  >;
  readonly components: { readonly securitySchemes?: Json };
}

describe("a sandbox without a control token", () => {
  it("accepts calls with any token", async () => {
    await using open = await startSandbox();
    expect((await open.fetch("/_sandbox/secret")).status).toBe(200);
    expect((await open.fetch("/_sandbox/secret", { headers: BEARER })).status).toBe(200);
  });
});
