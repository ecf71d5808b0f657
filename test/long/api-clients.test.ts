import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { createFolder } from "../support/folder.ts";
import { startProgram } from "../support/process.ts";

const CLIENTS = fileURLToPath(new URL("api-clients.js", import.meta.url));
const COLLECTION = fileURLToPath(new URL("../../examples/bruno/", import.meta.url));

interface Header {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface PostmanItem {
  readonly item?: readonly PostmanItem[];
  readonly request?: {
    readonly method: string;
    readonly url: { readonly path: readonly string[] };
    readonly header: readonly Header[];
    readonly body?: { readonly raw?: string };
  };
}

interface InsomniaResource {
  readonly _type: string;
  readonly method: string;
  readonly url: string;
}

interface BrunoRequest {
  readonly meta: { readonly name: string; readonly type: string };
  readonly http: { readonly method: string; readonly url: string; readonly body: string };
  readonly headers?: readonly {
    readonly name: string;
    readonly value: string;
    readonly enabled: boolean;
  }[];
  readonly body?: { readonly json: string };
  readonly vars?: { readonly res: readonly { readonly name: string; readonly value: string }[] };
}

interface BrunoEnvironment {
  readonly variables: readonly { readonly name: string; readonly value: string }[];
}

interface Imports {
  readonly postman: PostmanItem;
  readonly insomnia: readonly InsomniaResource[];
  readonly bruno: Readonly<Record<string, BrunoRequest>> & {
    readonly "environments/local.bru": BrunoEnvironment;
  };
}

describe("API clients", { timeout: 120_000 }, () => {
  let sandbox: Sandbox;
  let routes: readonly string[];
  let imports: Imports;

  beforeAll(async () => {
    sandbox = await startSandbox();
    const text = await (await sandbox.fetch("/_sandbox/openapi.json")).text();
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
    routes = Object.entries(paths)
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      .toSorted();
    await using folder = await createFolder();
    await writeFile(folder.at("openapi.json"), text);
    await using program = startProgram(CLIENTS, [folder.at("openapi.json"), COLLECTION]);
    const { code, stdout, stderr } = await program.ended;
    if (code !== 0) throw new Error(stderr);
    imports = JSON.parse(stdout) as Imports;
  }, 120_000);
  afterEach(() => sandbox.reset());
  afterAll(() => sandbox.close());

  const send = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ): Promise<{ status: number; json: Record<string, unknown> }> => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const init = { method, headers: { ...headers, ...type }, ...(body !== undefined && { body }) };
    const response = await sandbox.fetch(path, init);
    return {
      status: response.status,
      json: (await response.json()) as Record<string, unknown>,
    };
  };

  it("Postman imports every route, and requests that the gateway accepts", async () => {
    const requests = requestsOf(imports.postman);
    const named = requests.map(({ method, url }) => {
      const path = url.path.map((part) => part.replace(/^:(\w+)$/, "{$1}")).join("/");
      return `${method} /${path}`;
    });
    expect(named.toSorted()).toEqual(routes);
    for (const path of ["v1/payins", "v2/payins", "v1/payouts", "v1/webhooks"]) {
      const { method, header, body } =
        requests.find((one) => one.url.path.join("/") === path && one.method !== "GET") ??
        expect.fail(path);
      const enabled = header.filter(({ disabled }) => disabled !== true);
      const headers = Object.fromEntries(
        enabled.map(({ key, value }) => [key.toLowerCase(), value]),
      );
      headers["x-idempotency-key"] = path;
      const { status } = await send(method, `/${path}`, headers, body?.raw);
      expect({ path, status }).toEqual({ path, status: 200 });
    }
  });

  it("Insomnia imports every route", () => {
    const requests = imports.insomnia.filter(({ _type }) => _type === "request");
    const named = requests.map(
      ({ method, url }) =>
        `${method} ${url.replace("{{ base_url }}", "").replace(/\{\{ (\w+) \}\}/g, "{$1}")}`,
    );
    expect(named.toSorted()).toEqual(routes);
  });

  it("Bruno reads the collection, and its requests pass ids on", async () => {
    const { "environments/local.bru": environment, ...files } = imports.bruno;
    const variables = new Map(environment.variables.map(({ name, value }) => [name, value]));
    variables.set("url", "");
    const fill = (text: string): string =>
      text.replace(/\{\{(\$?\w+)\}\}/g, (_all, name: string) =>
        name === "$randomUUID" ? crypto.randomUUID() : (variables.get(name) ?? expect.fail(name)),
      );
    const run = async (file: string): Promise<number> => {
      const { http, headers = [], body, vars } = files[file] ?? expect.fail(file);
      const enabled = headers.filter((one) => one.enabled);
      const { status, json } = await send(
        http.method.toUpperCase(),
        fill(http.url),
        Object.fromEntries(enabled.map(({ name, value }) => [name, fill(value)])),
        http.body === "none" ? undefined : fill(body?.json ?? ""),
      );
      for (const { name, value } of vars?.res ?? []) {
        const [, member = ""] = /^res\("(.*)"\)$/.exec(value) ?? [];
        variables.set(name, String(readMember(json, member)));
      }
      return status;
    };
    for (const file of [
      "Gateway/createPayin.bru",
      "Gateway/simulatePayin.bru",
      "Gateway/createPayinV2.bru",
      "Records/payPayin.bru",
      "Records/showPayin.bru",
      "Gateway/createPayin.bru",
      "Records/payCode.bru",
      "Gateway/createPayout.bru",
      "Gateway/simulatePayout.bru",
      "Gateway/createPayout.bru",
      "Records/completePayout.bru",
      "Gateway/configureWebhook.bru",
      "Gateway/readWebhook.bru",
      "Webhooks/settle.bru",
      "Webhooks/listDeliveries.bru",
      "Webhooks/showDelivery.bru",
      "Webhooks/resendDelivery.bru",
      "Faults/createFault.bru",
      "Faults/showFault.bru",
      "Faults/removeFault.bru",
      "Clock/advanceClock.bru",
      "Sandbox/saveSnapshot.bru",
      "Sandbox/restoreSnapshot.bru",
      "Sandbox/changeAssumptions.bru",
      "Sandbox/reset.bru",
    ])
      expect({ file, status: await run(file) }).toEqual({ file, status: 200 });
    const ran = Object.values(files).filter((file) => file.http !== undefined);
    expect(ran.length).toBe(routes.length - 1); // All but the stream of events.
  });
});

function requestsOf({ item = [], request }: PostmanItem): NonNullable<PostmanItem["request"]>[] {
  return [...(request ? [request] : []), ...item.flatMap((one) => requestsOf(one))];
}

/** Reads a member such as `id` or `data[0].id`. */
function readMember(value: unknown, member: string): unknown {
  return member
    .split(/[.[\]]+/)
    .reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}
