// The checks of `doctor`. None changes anything.
import { access, constants, readFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { aheadOfRealTime } from "../../text/span.ts";
import { SHOW_CLOCK } from "../../core/state/wire-routes.ts";
import { VERSION } from "../../wire/version.ts";
import { readText, sendRequest } from "../../platform/http-request.ts";
import { PROGRAM } from "../../platform/program.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { StateInUseError } from "../../server/options/errors.ts";
import { isFile, labelOf, wrongAddress } from "../../server/options/state-kinds.ts";
import { checkState } from "../../server/tools/tools.ts";
import { CommandClient, urlOption } from "../client/command-client.ts";
import { CliError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize, textOf, type Words } from "../terminal/language.ts";
import { countsOf } from "../output/render.ts";
import { say } from "../../text/message.ts";

interface Examined {
  readonly io: Io;
  readonly configFile: string | undefined;
  /** Why the config file is invalid. */
  readonly configError: CliError | undefined;
  readonly port: number;
  readonly host: string;
  /** The server at this port and host. */
  readonly there: Found;
  /** The server that the commands call. */
  readonly server: Found;
  /** Whether the user has named that server's address. */
  readonly isNamed: boolean;
  /** Undefined for a state in memory. */
  readonly state: string | undefined;
}

export interface Finding {
  readonly ok: boolean;
  readonly message: string;
  /** What to do next; null if there is nothing to do. */
  readonly hint: string | null;
}

const finding = (ok: boolean, message: Words, hint?: Words): Finding => ({
  ok,
  message: localize(message),
  hint: hint === undefined ? null : localize(hint),
});
const good = (message: Words, hint?: Words): Finding => finding(true, message, hint);
const problem = (message: Words, hint?: Words): Finding => finding(false, message, hint);

/** Each check in the order in which `doctor` prints it, by its name. */
export const CHECKS: Readonly<Record<string, (examined: Examined) => Finding | Promise<Finding>>> =
  {
    node: () => {
      // The program does not start on a version that it does not support.
      const { version, versions, platform, arch } = process;
      const runtimes = [
        versions["bun"] && `Bun ${versions["bun"]}`,
        versions["deno"] && `Deno ${versions["deno"]}`,
      ];
      const runtime = runtimes.find(Boolean) ?? `Node.js ${version}`;
      return good(say`${runtime} on ${platform} ${arch} is supported.`);
    },

    versions: async ({ server, io }) => {
      const installed = await installedVersion(io);
      if (installed !== undefined && installed !== VERSION)
        return problem(
          say`This command is pix-sandbox ${VERSION}, but the project has ${installed}.`,
          say`Run the project's own with: npx pix-sandbox. Or update it: npm install pix-sandbox@latest.`,
        );
      if (server.kind !== "sandbox") return good(say`The command is pix-sandbox ${VERSION}.`);
      if (server.version === VERSION)
        return good(say`The command and the server are pix-sandbox ${VERSION}.`);
      return problem(
        say`This command is pix-sandbox ${VERSION}, but the server is ${server.version}.`,
        say`Stop the server and start it again with this version, or run: npx pix-sandbox@${server.version}.`,
      );
    },

    config: ({ configFile, configError }) => {
      if (configFile === undefined)
        return good(
          say`There is no config file, so the defaults apply.`,
          say`Create one with: ${PROGRAM} init`,
        );
      if (!configError) return good(say`${configFile} is valid.`);
      return problem(
        configError.message,
        configError.hint ?? say`Correct the file. docs/cli.md describes its members.`,
      );
    },

    // Whether `serve` can listen, or a sandbox listens there already.
    port: async ({ port, host, there }) => {
      if (there.kind === "sandbox")
        return good(say`pix-sandbox ${there.version} uses port ${port} of ${host}.`);
      const code = there.kind === "other" ? "EADDRINUSE" : await tryToListen(port, host);
      if (code === undefined && port === 0) return good(say`Port 0: serve picks a free port.`);
      if (code === undefined) return good(say`Port ${port} of ${host} is free.`);
      const reason = there.kind === "other" ? there.reason : code;
      if (code === "EADDRINUSE")
        return problem(
          say`Another program uses port ${port} of ${host} (${reason}).`,
          say`Stop that program, or use another port: ${PROGRAM} serve --port ${port + 1}`,
        );
      return problem(
        say`serve cannot listen on port ${port} of ${host} (${reason}).`,
        say`Choose another port or host with --port or --host.`,
      );
    },

    server: ({ server, isNamed }) => {
      if (server.kind === "sandbox") {
        const { url } = server.client;
        if (!server.isDegraded) return good(say`pix-sandbox responds at ${url}`);
        return problem(
          say`pix-sandbox responds at ${url}, but it cannot write its state and refuses changes.`,
          say`Its standard error shows the reason. Free disk space, or make the folder writable.`,
        );
      }
      const { url, reason } = server;
      if (server.kind === "other")
        return problem(
          say`The server at ${url} is not pix-sandbox (${reason}).`,
          say`Set the sandbox's address with --url or PIX_SANDBOX_URL.`,
        );
      const none = say`No server responds at ${url} (${reason}).`;
      if (isNamed)
        return problem(none, say`Start a sandbox there, or correct --url or PIX_SANDBOX_URL.`);
      return good(none, say`Start a sandbox with: ${PROGRAM} serve`);
    },

    state: async ({ state, there, server, io }) => {
      if (state === undefined) return good(say`The state is in memory.`);
      const wrong = wrongAddress(state);
      if (wrong) return problem(wrong);
      if (!isFile(state)) return good(say`The state is at ${labelOf(state)}`);
      try {
        return await examineFile(state, pathIn(io, state));
      } catch (error) {
        const message = textOf(error as Error);
        if (!(error instanceof StateInUseError))
          return problem(
            message,
            say`Use another state with --state, or store nothing with --memory.`,
          );
        if (there.kind === "sandbox" || server.kind === "sandbox") return good(message);
        return problem(
          message,
          say`That sandbox has another address. Pass it with --url, or stop that process.`,
        );
      }
    },

    // The sandbox's time beside the machine's.
    clock: async ({ server }) => {
      const realMs = wallNowMs();
      if (server.kind !== "sandbox") return good(say`This machine's time is ${toUtc(realMs)}.`);
      try {
        const { now, mode } = await server.client.call(SHOW_CLOCK);
        return describeClock(
          now,
          mode,
          Date.parse(now) - wallNowMs(),
          urlOption(server.client.url),
        );
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        return problem(error.message, error.hint);
      }
    },
  };

async function installedVersion(io: Io): Promise<string | undefined> {
  try {
    const text = await readFile(pathIn(io, "node_modules/pix-sandbox/package.json"), "utf8");
    return (JSON.parse(text) as { version?: string }).version;
  } catch {
    return undefined;
  }
}

/** @returns the code of the error, or undefined if the port is free */
async function tryToListen(port: number, host: string): Promise<string | undefined> {
  const server = net.createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host, exclusive: true }, resolve);
    });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** @throws StateInUseError, or the error of a file that cannot be read or written */
async function examineFile(state: string, file: string): Promise<Finding> {
  const report = (await isMissing(file)) ? undefined : await checkState(file);
  if (report && (report.damages.length > 0 || !report.hasStateFile))
    return problem(
      say`${state} is damaged.`,
      say`Find the damage with: ${PROGRAM} state check ${state}. Recover with: ${PROGRAM} state repair ${state}`,
    );
  await assertWritable(file);
  if (!report) return good(say`${state} does not exist yet. serve creates it.`);
  const { payins, payouts, problems } = report;
  if (problems.length === 0) return good(say`${state} is intact: ${countsOf(payins, payouts)}.`);
  return problem(
    say`${state} contains records that the API could not have created: ${problems.length}.`,
    say`List them with: ${PROGRAM} state check ${state}`,
  );
}

async function isMissing(file: string): Promise<boolean> {
  return access(file).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

/** A compaction creates a file beside the state, so its folder, or the first existing one above it, must be writable. */
async function assertWritable(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    const isTop = path.dirname(folder) === folder;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isTop) throw error;
    await assertWritable(folder);
  }
}

/** @param address the option that names the sandbox, for commands */
function describeClock(now: string, mode: string, aheadMs: number, address: string): Finding {
  const ahead = aheadOfRealTime(aheadMs);
  const difference = localize(ahead ?? say`the same as real time`);
  if (mode === "frozen")
    return good(
      say`The sandbox's clock is frozen at ${now}, ${difference}.`,
      say`Expiry and retries wait for: ${PROGRAM} clock advance${address}, or clock resume.`,
    );
  const time = say`The sandbox's time is ${now}, ${difference}.`;
  if (!ahead) return good(time);
  return good(
    time,
    say`To set it back to its start, and delete all records: ${PROGRAM} reset${address}`,
  );
}

function toUtc(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

export type Found =
  | {
      readonly kind: "sandbox";
      readonly client: CommandClient;
      readonly version: string;
      readonly isDegraded: boolean;
    }
  | { readonly kind: "other"; readonly url: string; readonly reason: string }
  | { readonly kind: "none"; readonly url: string; readonly reason: string };

/** How long a server may take for each response. */
const PATIENCE_MS = 2000;

/** Finds the server at an address: pix-sandbox over HTTP or HTTPS, another server, or none. */
export async function findServer(url: string, controlToken?: string): Promise<Found> {
  const found = await probe(url, controlToken);
  // A server that expects TLS closes the connection at once.
  const mayBeSecure = found.kind === "none" && !["ECONNREFUSED", "TIMEOUT"].includes(found.reason);
  if (mayBeSecure && url.startsWith("http:")) {
    const secure = await probe(url.replace("http:", "https:"), controlToken);
    if (secure.kind === "sandbox") return secure;
  }
  return found;
}

async function probe(url: string, controlToken: string | undefined): Promise<Found> {
  const client = new CommandClient({ url, controlToken });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const reply = await sendRequest(
      `${client.url}/_sandbox/health`,
      { method: "GET", headers: {}, signal },
      { agent: false, rejectUnauthorized: false },
    );
    const status = reply.statusCode ?? 0;
    const health = parseHealth(await readText(reply));
    const { version } = health;
    if (version === undefined || !["ok", "degraded"].includes(health.status ?? ""))
      return { kind: "other", url: client.url, reason: `HTTP ${status}` };
    return { kind: "sandbox", client, version, isDegraded: health.status === "degraded" };
  } catch (error) {
    if (signal.aborted) return { kind: "none", url: client.url, reason: "TIMEOUT" };
    const { code = "", message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    const reason = code.startsWith("HPE_") ? "EPROTO" : code || message;
    return { kind: "none", url: client.url, reason };
  }
}

function parseHealth(text: string): { status?: string; version?: string } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}
