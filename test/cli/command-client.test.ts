import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { commandClient, refusedCall, urlOption } from "../../src/cli/client/command-client.ts";
import { CliError } from "../../src/cli/terminal/errors.ts";
import { toQuery } from "../../src/wire/route-key.ts";
import type { RouteKey } from "../../src/http/routes/table.ts";
import { type Language, setLanguage } from "../../src/cli/terminal/language.ts";
import { resolveId } from "../../src/cli/definition/resolve-id.ts";
import { startSandbox } from "../../src/server/start.ts";

/** What the server has received, and what it answers. */
const received: { route: string; headers: Record<string, unknown> }[] = [];
let answer: { status: number; body?: unknown; text?: string } = { status: 200 };
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(({ method, url: path, headers }, response) => {
    received.push({ route: `${method} ${path}`, headers });
    const { status, body = {}, text = JSON.stringify(body) } = answer;
    response.writeHead(status, { "content-type": "application/json", "x-total-count": "7" });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
afterEach(() => {
  setLanguage("en");
  received.length = 0;
});

const errorOf = async (work: () => Promise<unknown>, language: Language = "en") => {
  setLanguage(language);
  const error: unknown = await work().catch((thrown: unknown) => thrown);
  const failure = refusedCall(error) ?? error;
  setLanguage("en");
  expect(failure).toBeInstanceOf(CliError);
  const { exitCode, code, message, hint } = failure as CliError;
  return [exitCode, code, message, hint];
};

const refusal = (message: string, code: string, more: object = {}) => ({
  message,
  code,
  errors: [],
  ...more,
});

describe("a call that a sandbox refuses", () => {
  it.each<[what: string, key: RouteKey, typeof answer, exitCode: number, string, hint?: string]>([
    [
      "a record that does not exist",
      "GET /payins/{id}",
      { status: 404, body: refusal("There is none.", "NOT_PROCESSABLE") },
      5,
      "NOT_FOUND",
    ],
    [
      "a control route without the token",
      "GET /clock",
      { status: 401, body: refusal("A token is needed.", "NO_ACTIVE_CREDENTIAL") },
      4,
      "NO_ACTIVE_CREDENTIAL",
      "--control-token",
    ],
    [
      "a payout that is final",
      "POST /payouts/{id}/complete",
      { status: 422, body: refusal("It is canceled.", "NOT_PROCESSABLE") },
      4,
      "NOT_PROCESSABLE",
      "npx pix-sandbox payout create --url",
    ],
    [
      "a charge that is final, paid by its code",
      "POST /pay",
      { status: 422, body: refusal("It is paid.", "NOT_PROCESSABLE") },
      4,
      "NOT_PROCESSABLE",
      "npx pix-sandbox payin create --url",
    ],
    [
      "a wait that timed out",
      "GET /wait",
      { status: 408, body: refusal("Not in time.", "TIMEOUT", { seed: "42" }) },
      6,
      "TIMED_OUT",
      "seed: 42",
    ],
    [
      "a wait without a seed",
      "GET /wait",
      { status: 408, body: refusal("Not in time.", "TIMEOUT") },
      6,
      "TIMED_OUT",
    ],
    [
      "a state that cannot be written",
      "GET /payins",
      { status: 503, body: { ready: false, version: "1" } },
      4,
      "NOT_READY",
      "standard error",
    ],
    ["another server", "GET /payins", { status: 200, text: "<html>" }, 3, "NO_SANDBOX", "--url"],
    [
      "another server's refusal",
      "GET /payins",
      { status: 500, body: { code: "E1" } },
      3,
      "NO_SANDBOX",
      "--url",
    ],
  ])("has an exit code, a code and a next step: %s", async (_what, key, answered, ...expected) => {
    answer = answered;
    const call = () => commandClient({ url }).call(key, key.includes("{id}") ? { id: "x" } : {});
    const [exitCode, code, hint] = expected;
    const refused = await errorOf(call);
    expect(refused.slice(0, 2)).toEqual([exitCode, code]);
    if (hint === undefined) expect(refused[3]).toBeUndefined();
    else expect(refused[3]).toContain(hint);
  });

  it("has the sentences of its fields", async () => {
    const errors = [{ message: "value is missing." }, { message: "cpf is missing." }];
    answer = { status: 400, body: refusal("Check.", "VALIDATION_ERROR", { errors }) };
    const call = () => commandClient({ url }).call("POST /payouts/{id}/complete", { id: "p1" });
    expect((await errorOf(call))[2]).toBe("value is missing. cpf is missing.");
  });

  it("has the gateway's own words for a missing credential", async () => {
    answer = { status: 401, body: refusal("Unknown token.", "NO_ACTIVE_CREDENTIAL") };
    const call = () => commandClient({ url }).call("POST /v1/payins", { value: 1 });
    expect(await errorOf(call)).toEqual([4, "NO_ACTIVE_CREDENTIAL", "Unknown token.", undefined]);
  });
});

describe("the commands' client", () => {
  it("identifies itself, its integration and its language", async () => {
    answer = { status: 200, body: {} };
    await commandClient({ url }).call("POST /v1/payins", { value: 1 });
    const own = { url, token: "shop", providerId: "17", controlToken: "s3cret" };
    setLanguage("pt-BR");
    await commandClient(own).call("GET /clock");
    await commandClient(own).call("POST /v1/payins", { value: 1 });
    await commandClient(own).as(null).call("GET /clock");
    await commandClient(own).as("kiosk").call("GET /clock");
    const names = ["x-api-token", "x-provider-id", "x-provider", "x-country-code"];
    expect(received.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
      ["sandbox", "sandbox", "pix-sandbox", "BR"],
      ["shop", undefined, undefined, undefined],
      ["shop", "17", "pix-sandbox", "BR"],
      [undefined, undefined, undefined, undefined],
      ["kiosk", undefined, undefined, undefined],
    ]);
    expect(
      received.map(({ headers }) => [headers["x-sandbox-language"], headers["authorization"]]),
    ).toEqual([
      [undefined, undefined],
      ["pt", "Bearer s3cret"],
      ["pt", undefined],
      ["pt", "Bearer s3cret"],
      ["pt", "Bearer s3cret"],
    ]);
  });

  it("reads a page with the number of all rows", async () => {
    answer = { status: 200, body: { data: [], next: null } };
    expect(await commandClient({ url }).page("GET /payins", { limit: "1" })).toEqual({
      document: { data: [], next: null },
      total: 7,
    });
    expect(received[0]?.route).toBe("GET /_sandbox/payins?limit=1");
  });

  it("accepts an address with or without scheme, version and slashes", () => {
    for (const given of ["localhost:7490", "http://localhost:7490/", "http://localhost:7490/v1//"])
      expect(commandClient({ url: given }).url).toBe("http://localhost:7490");
    expect(commandClient({}).url).toBe("http://127.0.0.1:7490");
    expect(urlOption("http://127.0.0.1:7490")).toBe("");
    expect(urlOption("http://localhost:1")).toBe(" --url http://localhost:1");
  });

  it("verifies certificates unless the address is this machine's", async () => {
    await using secure = await startSandbox({ https: true });
    const at = (host: string) =>
      commandClient({ url: `https://${host}:${secure.port}`, controlToken: "secret" });
    expect(await at("127.0.0.1").call("GET /clock")).toMatchObject({ mode: "real" });
    // This machine, but not a loopback address.
    await expect(at("0.0.0.0").call("GET /clock")).rejects.toMatchObject({
      exitCode: 3,
      code: "UNTRUSTED_CERTIFICATE",
      hint: expect.stringMatching(/NODE_EXTRA_CA_CERTS.+--tls-cert/) as string,
    });
  });

  it("says which scheme a server speaks", async () => {
    const call = () => commandClient({ url: url.replace("http:", "https:") }).call("GET /clock");
    expect(await errorOf(call)).toEqual([
      3,
      "WRONG_SCHEME",
      `The server at ${url.replace("http:", "https:")} speaks HTTP.`,
      `Use --url ${url}`,
    ]);
    expect((await errorOf(call, "pt-BR"))[2]).toBe(
      `O servidor em ${url.replace("http:", "https:")} usa HTTP.`,
    );
  });
});

describe("an id on the command line", () => {
  const UUID = "5f0c2a52-7ab1-4a71-9c0c-3a3d7c4f9d10";
  /** A client that lists these rows, and the routes that it calls. */
  const listing = (rows: Readonly<Record<string, readonly object[]>>) => {
    const routes: string[] = [];
    const client = {
      url: "http://127.0.0.1:7490",
      call: (key: string, query: Readonly<Record<string, unknown>>) => {
        routes.push(`${key}${toQuery(query)}`);
        const [, name = ""] = /\/(\w+)/.exec(key) ?? [];
        return Promise.resolve({ data: rows[name] ?? [], next: null });
      },
    };
    return { client: client as never, routes };
  };

  it("that is whole is not looked up, in any case", async () => {
    const { client, routes } = listing({});
    for (const id of [UUID, `evt_${"0".repeat(32)}`, `flt_${"f".repeat(32)}`, "req_17"]) {
      expect(await resolveId(client, "webhook", id)).toBe(id);
      expect(await resolveId(client, "webhook", ` ${id.toUpperCase()} `)).toBe(id);
    }
    expect(routes).toEqual([]);
  });

  it("is the newest with last, of payins and payouts together too", async () => {
    const { client, routes } = listing({
      payins: [{ id: "old", created_at: "2026-01-01" }],
      payouts: [{ id: "new", created_at: "2026-01-02" }],
    });
    expect(await resolveId(client, "transaction", "LAST")).toBe("new");
    expect(await resolveId(client, "payin", "last")).toBe("old");
    expect(routes).toEqual([
      "GET /payins?order=desc&limit=1",
      "GET /payouts?order=desc&limit=1",
      "GET /payins?order=desc&limit=1",
    ]);
  });

  it("is found by at least four characters of its beginning", async () => {
    const { client, routes } = listing({ deliveries: [{ id: "evt_abcd1" }] });
    expect(await resolveId(client, "webhook", "evt_ABCD…")).toBe("evt_abcd1");
    expect(routes).toEqual(["GET /deliveries?order=desc&limit=11&prefix=evt_abcd"]);
    for (const text of ["abc", "evt_abc", "flt_abc"])
      expect((await errorOf(() => resolveId(client, "webhook", text))).slice(0, 2)).toEqual([
        5,
        "NOT_FOUND",
      ]);
  });

  it.each([
    ["payin", "payin list"],
    ["payout", "payout list"],
    ["transaction", "payin list; npx pix-sandbox payout list"],
    ["webhook", "webhooks list"],
    ["request", "requests"],
    ["fault", "faults"],
  ] as const)(
    "of a %s that does not exist names the command that lists them",
    async (kind, list) => {
      const { client } = listing({});
      for (const id of ["last", "abcd"]) {
        const [exitCode, code, , hint] = await errorOf(() => resolveId(client, kind, id));
        expect([exitCode, code]).toEqual([5, "NOT_FOUND"]);
        expect(hint).toMatch(new RegExp(`: npx pix-sandbox ${list}$`));
      }
    },
  );

  it("that several records have lists ten of them", async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_none, index) => ({
        id: `abcd${index}`,
        status: "waiting",
        value: 10.5,
        created_at: `2026-01-${30 - index}`,
      }));
    const refused = (count: number) =>
      errorOf(() => resolveId(listing({ payins: rows(count) }).client, "payin", "abcd"));
    expect(await refused(2)).toEqual([
      2,
      "AMBIGUOUS_ID",
      'Several ids begin with "abcd":',
      "  abcd0  waiting  10.5\n  abcd1  waiting  10.5\nUse more characters of the id.",
    ]);
    expect((await refused(10))[3]?.toString().split("\n")).toHaveLength(11);
    expect((await refused(11))[3]?.toString().split("\n").slice(-3)).toEqual([
      "  abcd9  waiting  10.5",
      "  … and more",
      "Use more characters of the id.",
    ]);
  });
});
