import { chmod, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { callsTo } from "./support/calls.ts";
import { Page } from "./support/documents.ts";
import { createFolder } from "./support/folder.ts";
import { runMain } from "./support/main.ts";
import { PATIENCE_MS } from "./support/patience.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "./support/postgres.ts";
import { freePort, type Program, startProcess } from "./support/process.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FILE = path.join(ROOT, "docs/team/kubernetes.yaml");

const page = await Page.read("docs/team.md");
const create = page.take("sh", "kubectl");
const leaderAlone = page.take("yaml", "readinessProbe");

const labels = z.record(z.string(), z.string());
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const variable = z.union([
  z.object({ name: z.string(), value: z.string() }),
  z.object({
    name: z.string(),
    valueFrom: z.object({ fieldRef: z.object({ fieldPath: z.string() }) }),
  }),
]);
const container = z.object({
  command: z.tuple([z.literal("pix-sandbox")], z.string()),
  envFrom: z.tuple([z.object({ secretRef: z.object({ name: z.string() }) })]),
  env: z.array(variable),
  ports: z.tuple([z.object({ name: z.string(), containerPort: z.number() })]),
  livenessProbe: probe,
  readinessProbe: probe,
});
const deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({
    replicas: z.number(),
    strategy: z.object({
      rollingUpdate: z.object({ maxSurge: z.number(), maxUnavailable: z.number() }),
    }),
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({ containers: z.tuple([container]) }),
    }),
  }),
});
const service = z.object({
  kind: z.literal("Service"),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    selector: labels,
    ports: z.tuple([z.object({ port: z.number(), targetPort: z.string() })]),
  }),
});
const budget = z.object({
  kind: z.literal("PodDisruptionBudget"),
  spec: z.object({ minAvailable: z.number(), selector: z.object({ matchLabels: labels }) }),
});

const documents = parseAllDocuments(await readFile(FILE, "utf8")).map(
  (document) => document.toJS() as unknown,
);
const [ofPods, ofService, ofBudget] = z.tuple([deployment, service, budget]).parse(documents);
const pod = ofPods.spec.template.spec.containers[0];

describe("docs/team/kubernetes.yaml", () => {
  it("has the types of the Kubernetes API", { timeout: 4 * PATIENCE_MS }, async () => {
    expect(await typeErrors(documents)).toBe("");
    const [first, ...others] = structuredClone(documents) as { spec: { replica?: number } }[];
    if (first) first.spec.replica = 2;
    expect(await typeErrors([first, ...others])).toMatch(/replica\W+ does not exist/);
  });

  it("remains so with the changes for readiness of the leader alone", async () => {
    const changed = merged(documents[0], parse(leaderAlone));
    expect(await typeErrors([changed, ...documents.slice(1)])).toBe("");
    const { spec } = deployment.parse(changed);
    expect(spec.template.spec.containers[0].readinessProbe.httpGet.path).toBe("/_sandbox/ready");
    // Otherwise the rollout waits for a new pod that cannot become ready while an old one leads.
    expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(spec.replicas);
  });

  it("selects the pods of the Deployment", () => {
    const { labels: given } = ofPods.spec.template.metadata;
    for (const selected of [
      ofPods.spec.selector.matchLabels,
      ofService.spec.selector,
      ofBudget.spec.selector.matchLabels,
    ])
      expect(given).toMatchObject(selected);
    expect(ofService.spec.ports[0].targetPort).toBe(pod.ports[0].name);
  });

  it("updates and evicts one pod after another", () => {
    const { replicas, strategy } = ofPods.spec;
    expect(strategy.rollingUpdate.maxUnavailable).toBeLessThan(replicas);
    expect(ofBudget.spec.minAvailable).toBeLessThan(replicas);
    // A standby never becomes ready by its role, so every pod is ready, and passes calls on.
    expect(pod.command).toContain("--standby-forward");
    expect(pod.readinessProbe.httpGet.path).toBe("/_sandbox/health");
  });

  it("probes routes that need no token", async () => {
    const { stdout } = await runMain(["openapi"]);
    const { paths } = JSON.parse(stdout) as { paths: Record<string, { get?: object }> };
    for (const { httpGet } of [pod.livenessProbe, pod.readinessProbe]) {
      expect(paths[httpGet.path]?.get).toBeDefined();
      expect(httpGet.port).toBe(pod.ports[0].name);
    }
  });

  it("has a Service whose name sets no variable of the sandbox", () => {
    // Kubernetes sets NAME_PORT and others in each pod of the namespace.
    const prefix = ofService.metadata.name.toUpperCase().replaceAll("-", "_");
    expect(`${prefix}_PORT`).not.toMatch(/^PIX_SANDBOX_/);
  });

  it("reads the variables of the secret that the page creates", async () => {
    const { name, values } = await createdSecret("db-password");
    expect(name).toBe(pod.envFrom[0].secretRef.name);
    const { stdout: help } = await runMain(["serve", "--help"]);
    for (const key of Object.keys(values))
      if (key !== "PGPASSWORD") expect(help).toMatch(new RegExp(`env:\\s+${key}\\b`));
    expect(values).toMatchObject({ PGPASSWORD: "db-password" });
    expect(values["PIX_SANDBOX_CONTROL_TOKEN"]).toMatch(/^[0-9a-f]{48}$/);
  });
});

describe.skipIf(NO_POSTGRES !== "")(`pods of kubernetes.yaml as processes${NO_POSTGRES}`, () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  }, PATIENCE_MS);
  afterAll(() => server[Symbol.asyncDispose]());

  it(
    "are all ready, and pass calls on during a rolling update",
    { timeout: 4 * PATIENCE_MS },
    async () => {
      const database = await server.createDatabase();
      const { values } = await createdSecret("db-password");
      const shown = new URL(values["PIX_SANDBOX_STATE"] ?? "");
      const state = `${server.url(database)}?sandbox=${shown.searchParams.get("sandbox")}`;
      const start = (): Promise<Pod> => startPod({ ...values, PIX_SANDBOX_STATE: state });

      await using first = await start();
      await using second = await start();
      await isReady(first, second);
      const members = { webhook_url: "http://127.0.0.1:9/" };
      // A pod that is ready refuses calls until one leads: the page says to send them again.
      const payin = await vi.waitFor(
        async () => {
          const { status, body } = await callsTo(second.url).createPayin(members, "order-1");
          expect(status).toBe(200);
          return body;
        },
        { timeout: PATIENCE_MS, interval: 20 },
      );

      // One more pod than replicas, then an old one is stopped, as maxSurge and maxUnavailable say.
      await using third = await start();
      await isReady(third);
      await first.program.stop("SIGTERM");
      await using fourth = await start();
      await isReady(fourth);
      await second.program.stop("SIGTERM");
      for (const url of [third.url, fourth.url])
        await vi.waitFor(
          async () => {
            const authorization = `Bearer ${values["PIX_SANDBOX_CONTROL_TOKEN"]}`;
            const route = `${url}/_sandbox/payins/${payin.id}`;
            const response = await fetch(route, { headers: { authorization } });
            expect(response.status).toBe(200);
          },
          { timeout: PATIENCE_MS, interval: 20 },
        );
    },
  );
});

interface Pod extends AsyncDisposable {
  readonly program: Program;
  readonly url: string;
}

/** Starts the container's command, with an address and a port of this machine. */
async function startPod(secret: Readonly<Record<string, string>>): Promise<Pod> {
  const port = await freePort();
  const fields: Readonly<Record<string, string>> = {
    "status.podIP": "127.0.0.1",
    "metadata.namespace": "default",
  };
  const env: Record<string, string> = { ...secret };
  const expand = (text: string): string =>
    text
      .replaceAll(/\$\((\w+)\)/g, (_, name: string) => env[name] ?? "")
      .replaceAll(String(pod.ports[0].containerPort), String(port));
  for (const one of pod.env)
    env[one.name] =
      "value" in one ? expand(one.value) : (fields[one.valueFrom.fieldRef.fieldPath] ?? "");
  const [, ...args] = pod.command.map(expand);
  const program = startProcess(process.execPath, [path.join(ROOT, "bin/pix-sandbox.js"), ...args], {
    env,
  });
  return {
    program,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** Waits until the readiness probe of pods passes. */
async function isReady(...pods: readonly Pod[]): Promise<void> {
  for (const { url } of pods)
    await vi.waitFor(
      async () => expect((await fetch(url + pod.readinessProbe.httpGet.path)).status).toBe(200),
      { timeout: PATIENCE_MS, interval: 20 },
    );
}

/** Runs the page's commands with a kubectl that writes its arguments down. */
async function createdSecret(
  password: string,
): Promise<{ name: string; values: Readonly<Record<string, string>> }> {
  await using folder = await createFolder();
  await writeFile(
    folder.at("kubectl"),
    '#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done >> calls\necho >> calls\n',
  );
  await chmod(folder.at("kubectl"), 0o755);
  const PATH = `${folder.path}:${path.dirname(process.execPath)}:${process.env["PATH"]}`;
  const env = { PATH, PGPASSWORD: password };
  await using program = startProcess("sh", ["-e", "-c", create], { env, cwd: folder.path });
  expect(await program.ended).toMatchObject({ code: 0, stderr: "" });
  const calls = (await readFile(folder.at("calls"), "utf8")).trim().split("\n\n");
  const [secret = [], ...others] = calls.map((call) => call.split("\n"));
  expect(others).toEqual([
    ["apply", "--filename", path.basename(FILE)],
    ["rollout", "status", "deployment/pix-sandbox"],
  ]);
  const [command, kind, type, name = "", ...literals] = secret;
  expect([command, kind, type]).toEqual(["create", "secret", "generic"]);
  const pairs = literals.map((literal) => /^--from-literal=(\w+)=(.+)$/.exec(literal));
  return {
    name,
    values: Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""])),
  };
}

/** Checks documents with TypeScript and the types of the Kubernetes API. */
async function typeErrors(all: readonly unknown[]): Promise<string> {
  await using folder = await createFolder();
  await symlink(path.join(ROOT, "node_modules"), folder.at("node_modules"));
  const program = `import type { Deployment } from "kubernetes-types/apps/v1";
import type { Service } from "kubernetes-types/core/v1";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1";
export const all: [Deployment, Service, PodDisruptionBudget] = ${JSON.stringify(all, null, 2)};
`;
  await writeFile(folder.at("manifests.ts"), program);
  const options = "--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler";
  await using checking = startProcess(
    folder.at("node_modules/.bin/tsc"),
    [...options.split(" "), "--ignoreConfig", "manifests.ts"],
    { cwd: folder.path },
  );
  return (await checking.ended).stdout;
}

/** Puts changes into a document. The only list in them is that of the containers. */
function merged(document: unknown, changes: unknown): unknown {
  if (Array.isArray(document) && Array.isArray(changes))
    return document.map((one, index) => merged(one, changes[index] ?? {}));
  if (!isObject(document) || !isObject(changes)) return changes;
  const values = Object.entries(changes).map(([name, value]) => [
    name,
    merged(document[name], value),
  ]);
  return { ...document, ...Object.fromEntries(values) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
