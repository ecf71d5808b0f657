import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { pause } from "../../src/platform/pause.ts";
import { createFolder } from "../support/folder.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { type Postgres, postgresPrograms } from "../support/postgres.ts";
import { type Ended, freePort, type Program, startProcess } from "../support/process.ts";

const serviceSchema = z.object({
  image: z.string(),
  command: z.tuple([z.string()], z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z
    .union([
      z.array(z.string()).transform((names) => names.map((name) => [name, {}] as const)),
      z
        .record(z.string(), z.object({ condition: z.literal("service_healthy") }))
        .transform((conditions) => Object.entries(conditions)),
    ])
    .default([]),
  healthcheck: z.object({ test: z.tuple([z.literal("CMD"), z.string()], z.string()) }).optional(),
  volumes: z.array(z.string()).default([]),
});
type Service = z.output<typeof serviceSchema>;

/** The port that each container listens on. */
const PORTS: Readonly<Record<string, string>> = {
  database: "5432",
  "sandbox-1": "7490",
  "sandbox-2": "7490",
  "load-balancer": "7490",
};

/** Reads a file of Docker Compose: merges anchors and replaces variables. */
export function readServices(
  text: string,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, Service>> {
  const inValues = (_: unknown, value: unknown): unknown =>
    typeof value === "string" ? interpolate(value, variables) : value;
  const { services } = parse(text, inValues, { merge: true }) as { services: unknown };
  return z.record(z.string(), serviceSchema).parse(services);
}

/** Replaces `${NAME:?reason}` and `${NAME:-default}`. */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$\{(\w+):([?-])([^}]*)\}/g,
    (_, name: string, kind: string, rest: string) => {
      const value = variables[name] ?? "";
      if (value === "" && kind === "?") throw new Error(`${name}: ${rest}`);
      return value === "" ? rest : value;
    },
  );
}

/** The containers of a compose.yaml, as processes of this machine with ports of their own. */
export class Composition implements AsyncDisposable {
  readonly #folder: string;
  readonly #services: Readonly<Record<string, Service>>;
  readonly #ports: Readonly<Record<string, number>>;
  readonly #path: string;
  readonly #temporary: Awaited<ReturnType<typeof createFolder>>;
  readonly #running = new Map<string, Program>();

  private constructor(parts: {
    folder: string;
    services: Readonly<Record<string, Service>>;
    ports: Readonly<Record<string, number>>;
    path: string;
    temporary: Awaited<ReturnType<typeof createFolder>>;
  }) {
    this.#folder = parts.folder;
    this.#services = parts.services;
    this.#ports = parts.ports;
    this.#path = parts.path;
    this.#temporary = parts.temporary;
  }

  /**
   * Creates the database's user and database in a server that runs.
   * @param folder with compose.yaml and what it mounts
   * @param variables those of .env
   * @param programs a folder with `pix-sandbox`
   */
  static async create(
    server: Postgres,
    {
      folder,
      variables,
      programs,
    }: { folder: string; variables: Readonly<Record<string, string>>; programs: string },
  ): Promise<Composition> {
    const text = await readFile(path.join(folder, "compose.yaml"), "utf8");
    const services = readServices(text, variables);
    const { POSTGRES_USER = "", POSTGRES_DB = "" } = services["database"]?.environment ?? {};
    await server.query("postgres", `CREATE ROLE ${POSTGRES_USER} LOGIN`);
    await server.query("postgres", `CREATE DATABASE ${POSTGRES_DB} OWNER ${POSTGRES_USER}`);
    const ports: Record<string, number> = { database: server.port };
    for (const name of Object.keys(services)) ports[name] ??= await freePort();
    const searched = [
      programs,
      postgresPrograms(),
      path.dirname(process.execPath),
      process.env["PATH"],
    ];
    return new Composition({
      folder,
      services,
      ports,
      path: searched.join(":"),
      temporary: await createFolder(),
    });
  }

  /** The address of a service's port. */
  url(name: string): string {
    return `http://127.0.0.1:${this.#ports[name]}`;
  }

  get names(): readonly string[] {
    return Object.keys(this.#services);
  }

  /** Starts a service, after those that it waits for are healthy. The database runs already. */
  async up(name: string): Promise<void> {
    if (this.#running.has(name)) return;
    const { command, environment, depends_on: others } = this.#service(name);
    for (const [other, { condition }] of others as readonly (readonly [
      string,
      { condition?: string },
    ])[]) {
      await this.up(other);
      if (condition !== undefined) await this.healthy(other);
    }
    if (name === "database" || !command) return;
    const [program, ...args] = await Promise.all(command.map((word) => this.#word(name, word)));
    const env = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, this.#localize(name, value)]),
    );
    this.#running.set(name, this.#start(program ?? "", args, env));
  }

  /** Kills a service, as a crash does. */
  async kill(name: string): Promise<void> {
    await this.#running.get(name)?.stop("SIGKILL");
    this.#running.delete(name);
  }

  /** Waits until a service has printed a text. */
  async logs(name: string, text: string): Promise<void> {
    const program = this.#running.get(name);
    const isMeant = (line: string): boolean => line.includes(text);
    await Promise.any([program?.lines("stdout", 1, isMeant), program?.lines("stderr", 1, isMeant)]);
  }

  /** Runs the health check of a service once. */
  async check(name: string): Promise<Ended> {
    const { healthcheck } = this.#service(name);
    if (!healthcheck) throw new Error(`${name} has no health check.`);
    const [, program, ...args] = healthcheck.test.map((word) => this.#localize(name, word));
    await using checking = this.#start(program ?? "", args, {});
    return await checking.ended;
  }

  /** Waits until the health check of a service passes. */
  async healthy(name: string): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const { code, stderr } = await this.check(name);
      if (code === 0) return;
      if (performance.now() > untilMs)
        throw new Error(`${name} is not healthy: ${stderr}${this.#running.get(name)?.stderr}`);
      await pause(PROBE_EVERY_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of [...this.#running.keys()].toReversed()) await this.kill(name);
    await this.#temporary[Symbol.asyncDispose]();
  }

  #service(name: string): Service {
    const service = this.#services[name];
    if (!service) throw new Error(`There is no service ${name}.`);
    return service;
  }

  #start(program: string, args: string[], env: Readonly<Record<string, string>>): Program {
    const cwd = this.#temporary.path;
    return startProcess(program, args, { env: { ...env, PATH: this.#path }, cwd });
  }

  /** A word of a command. A mounted file is replaced by a copy with ports of this machine. */
  async #word(name: string, word: string): Promise<string> {
    for (const volume of this.#service(name).volumes) {
      const [from = "", to] = volume.split(":");
      if (to !== word) continue;
      const file = this.#temporary.at(path.basename(from));
      const text = await readFile(path.join(this.#folder, from), "utf8");
      await writeFile(file, this.#localize(name, text));
      return file;
    }
    return this.#localize(name, word);
  }

  /** Replaces the names of containers, and the container's own port. */
  #localize(own: string, text: string): string {
    let local = text;
    for (const [name, port] of Object.entries(PORTS))
      local = local.replaceAll(`${name}:${port}`, `127.0.0.1:${this.#ports[name]}`);
    return local.replaceAll(new RegExp(`\\b${PORTS[own]}\\b`, "g"), String(this.#ports[own]));
  }
}

const PROBE_EVERY_MS = 20;
