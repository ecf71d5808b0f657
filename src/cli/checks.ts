// The checks of `doctor`. Each returns one result in the current language and changes nothing.
import { access, constants, readFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { VERSION } from "../core/version.ts";
import { aheadOfRealTime } from "../core/time/span.ts";
import { wallNowMs } from "../platform/real-time.ts";
import { StateInUseError } from "../sandbox/errors.ts";
import { isFile, labelOf, wrongAddress } from "../sandbox/state-kinds.ts";
import { checkState, type StateReport } from "../sandbox/tools.ts";
import { CommandClient } from "./command-client.ts";
import { CliError } from "./errors.ts";
import { type Io, pathIn } from "./io.ts";
import { localize, textOf } from "./language.ts";
import type { WireClock } from "./render-clock.ts";
import { PROGRAM } from "../platform/program.ts";

/** The result of one check. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  /** What to do next. */
  readonly hint?: string | undefined;
}

/** The server at an address. */
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
/** A smaller difference between two clocks is the duration of the request. */

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
    const { status, body } = (await client.exchange("GET", "/_sandbox/health", {
      token: "doctor",
      signal,
    })) ?? { status: 0, body: undefined };
    if (status === 0) return { kind: "none", url: client.url, reason: "ECONNRESET" };
    const health = (body ?? {}) as { status?: string; version?: string };
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

/** The program refuses to start on a Node.js version that it does not support, so this one is supported. */
export function checkNode(): Check {
  const { version, platform, arch } = process;
  return {
    name: "node",
    ok: true,
    message: localize({
      en: `Node.js ${version} on ${platform} ${arch} is supported.`,
      pt: `O Node.js ${version} em ${platform} ${arch} é suportado.`,
    }),
  };
}

/** Compares this program's version with the project's package and with the server. */
export async function checkVersions(server: Found, io: Io): Promise<Check> {
  const name = "versions";
  const installed = await installedVersion(io);
  if (installed !== undefined && installed !== VERSION)
    return {
      name,
      ok: false,
      message: localize({
        en: `This command is pix-sandbox ${VERSION}, but the project has ${installed}.`,
        pt: `Este comando é o pix-sandbox ${VERSION}, mas o projeto tem o ${installed}.`,
      }),
      hint: localize({
        en: "Run the project's own with: npx pix-sandbox. Or update it: npm install pix-sandbox@latest.",
        pt: "Rode o do projeto com: npx pix-sandbox. Ou atualize-o: npm install pix-sandbox@latest.",
      }),
    };
  if (server.kind === "sandbox" && server.version !== VERSION)
    return {
      name,
      ok: false,
      message: localize({
        en: `This command is pix-sandbox ${VERSION}, but the server is ${server.version}.`,
        pt: `Este comando é o pix-sandbox ${VERSION}, mas o servidor é o ${server.version}.`,
      }),
      hint: localize({
        en: `Stop the server and start it again with this version, or run: npx pix-sandbox@${server.version}.`,
        pt: `Pare o servidor e inicie-o de novo com esta versão, ou rode: npx pix-sandbox@${server.version}.`,
      }),
    };
  return {
    name,
    ok: true,
    message:
      server.kind === "sandbox"
        ? localize({
            en: `The command and the server are pix-sandbox ${VERSION}.`,
            pt: `O comando e o servidor são o pix-sandbox ${VERSION}.`,
          })
        : localize({
            en: `The command is pix-sandbox ${VERSION}.`,
            pt: `O comando é o pix-sandbox ${VERSION}.`,
          }),
  };
}

async function installedVersion(io: Io): Promise<string | undefined> {
  try {
    const text = await readFile(pathIn(io, "node_modules/pix-sandbox/package.json"), "utf8");
    return (JSON.parse(text) as { version?: string }).version;
  } catch {
    return undefined;
  }
}

/** @param apply reads the config file; rejects with a CliError if it is invalid */
export async function checkConfig(
  file: string | undefined,
  apply: (file: string) => Promise<unknown>,
): Promise<Check> {
  const name = "config";
  if (file === undefined)
    return {
      name,
      ok: true,
      message: localize({
        en: "There is no config file, so the defaults apply.",
        pt: "Não há arquivo de configuração; valem os padrões.",
      }),
      hint: localize({
        en: `Create one with: ${PROGRAM} init.`,
        pt: `Crie um com: ${PROGRAM} init.`,
      }),
    };
  try {
    await apply(file);
    return {
      name,
      ok: true,
      message: localize({ en: `${file} is valid.`, pt: `${file} é válido.` }),
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, hint } = error;
    return {
      name,
      ok: false,
      message,
      hint:
        hint ??
        localize({
          en: "Correct the file. docs/cli.md describes its members.",
          pt: "Corrija o arquivo. docs/cli.md descreve os campos dele.",
        }),
    };
  }
}

/** Checks whether `serve` can listen, or a sandbox listens there already. */
export async function checkPort(port: number, host: string, there: Found): Promise<Check> {
  const name = "port";
  if (there.kind === "sandbox")
    return {
      name,
      ok: true,
      message: localize({
        en: `pix-sandbox ${there.version} uses port ${port} of ${host}.`,
        pt: `O pix-sandbox ${there.version} usa a porta ${port} de ${host}.`,
      }),
    };
  const code = there.kind === "other" ? "EADDRINUSE" : await tryToListen(port, host);
  if (code === undefined)
    return {
      name,
      ok: true,
      message:
        port === 0
          ? localize({
              en: "Port 0: serve picks a free port.",
              pt: "Porta 0: o serve escolhe uma porta livre.",
            })
          : localize({
              en: `Port ${port} of ${host} is free.`,
              pt: `A porta ${port} de ${host} está livre.`,
            }),
    };
  const reason = there.kind === "other" ? there.reason : code;
  return {
    name,
    ok: false,
    message:
      code === "EADDRINUSE"
        ? localize({
            en: `Another program uses port ${port} of ${host} (${reason}).`,
            pt: `Outro programa usa a porta ${port} de ${host} (${reason}).`,
          })
        : localize({
            en: `serve cannot listen on port ${port} of ${host} (${reason}).`,
            pt: `O serve não consegue escutar na porta ${port} de ${host} (${reason}).`,
          }),
    hint:
      code === "EADDRINUSE"
        ? localize({
            en: `Stop that program, or use another port: ${PROGRAM} serve --port ${port + 1}`,
            pt: `Pare esse programa, ou use outra porta: ${PROGRAM} serve --port ${port + 1}`,
          })
        : localize({
            en: "Choose another port or host with --port or --host.",
            pt: "Escolha outra porta ou outro host com --port ou --host.",
          }),
  };
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

/** @param isExpected whether the user has named this address */
export function checkServer(server: Found, isExpected: boolean): Check {
  const name = "server";
  if (server.kind === "sandbox") {
    const { url } = server.client;
    const message = localize({
      en: `pix-sandbox responds at ${url}`,
      pt: `O pix-sandbox responde em ${url}`,
    });
    if (!server.isDegraded) return { name, ok: true, message };
    return {
      name,
      ok: false,
      message: localize({
        en: `${message}, but it cannot write its state and refuses changes.`,
        pt: `${message}, mas não consegue gravar o estado e recusa mudanças.`,
      }),
      hint: localize({
        en: "Its standard error shows the reason. Free disk space, or make the folder writable.",
        pt: "A saída de erro dele mostra o motivo. Libere espaço em disco, ou torne a pasta gravável.",
      }),
    };
  }
  const { url, reason } = server;
  if (server.kind === "other")
    return {
      name,
      ok: false,
      message: localize({
        en: `The server at ${url} is not pix-sandbox (${reason}).`,
        pt: `O servidor em ${url} não é um pix-sandbox (${reason}).`,
      }),
      hint: localize({
        en: "Set the sandbox's address with --url or PIX_SANDBOX_URL.",
        pt: "Informe o endereço do sandbox com --url ou PIX_SANDBOX_URL.",
      }),
    };
  return {
    name,
    ok: !isExpected,
    message: localize({
      en: `No server responds at ${url} (${reason}).`,
      pt: `Nenhum servidor responde em ${url} (${reason}).`,
    }),
    hint: isExpected
      ? localize({
          en: "Start a sandbox there, or correct --url or PIX_SANDBOX_URL.",
          pt: "Inicie um sandbox ali, ou corrija --url ou PIX_SANDBOX_URL.",
        })
      : localize({
          en: `Start a sandbox with: ${PROGRAM} serve.`,
          pt: `Inicie um sandbox com: ${PROGRAM} serve.`,
        }),
  };
}

/** @param state undefined for memory */
export async function checkStateFile(
  state: string | undefined,
  hasServer: boolean,
  io: Io,
): Promise<Check> {
  const name = "state";
  if (state === undefined)
    return {
      name,
      ok: true,
      message: localize({ en: "The state is in memory.", pt: "O estado fica em memória." }),
    };
  const wrong = wrongAddress(state);
  if (wrong) return { name, ok: false, message: localize(wrong) };
  if (!isFile(state))
    return {
      name,
      ok: true,
      message: localize({
        en: `The state is at ${labelOf(state)}`,
        pt: `O estado está em ${labelOf(state)}`,
      }),
    };
  const file = pathIn(io, state);
  const missing = await isMissing(file);
  try {
    const report = missing ? undefined : await checkState(file);
    if (report && (report.damages.length > 0 || !report.hasStateFile)) return damaged(state);
    await assertWritable(file);
    return report && report.problems.length > 0
      ? edited(state, report.problems.length)
      : { name, ok: true, message: report ? describe(state, report) : describeMissing(state) };
  } catch (error) {
    if (error instanceof StateInUseError) return inUse(textOf(error), hasServer);
    return {
      name,
      ok: false,
      message: textOf(error as Error),
      hint: localize({
        en: "Use another state with --state, or store nothing with --memory.",
        pt: "Use outro estado com --state, ou não grave nada com --memory.",
      }),
    };
  }
}

function describe(state: string, { payins, payouts }: StateReport): string {
  return localize({
    en: `${state} is intact: ${payins} payins, ${payouts} payouts.`,
    pt: `${state} está íntegro: payins: ${payins}, payouts: ${payouts}.`,
  });
}

function describeMissing(state: string): string {
  return localize({
    en: `${state} does not exist yet. serve creates it.`,
    pt: `${state} ainda não existe. O serve o cria.`,
  });
}

function damaged(state: string): Check {
  return {
    name: "state",
    ok: false,
    message: localize({ en: `${state} is damaged.`, pt: `${state} está danificado.` }),
    hint: localize({
      en: `Find the damage with: ${PROGRAM} state check ${state}. Recover with: ${PROGRAM} state repair ${state}`,
      pt: `Encontre o dano com: ${PROGRAM} state check ${state}. Recupere com: ${PROGRAM} state repair ${state}`,
    }),
  };
}

function edited(state: string, problems: number): Check {
  return {
    name: "state",
    ok: false,
    message: localize({
      en: `${state} contains records that the API could not have created: ${problems}.`,
      pt: `${state} contém registros que a API não poderia ter criado: ${problems}.`,
    }),
    hint: localize({
      en: `List them with: ${PROGRAM} state check ${state}`,
      pt: `Liste-os com: ${PROGRAM} state check ${state}`,
    }),
  };
}

function inUse(message: string, hasServer: boolean): Check {
  if (hasServer) return { name: "state", ok: true, message };
  return {
    name: "state",
    ok: false,
    message,
    hint: localize({
      en: "That sandbox has another address. Pass it with --url, or stop that process.",
      pt: "Esse sandbox tem outro endereço. Informe-o com --url, ou pare esse processo.",
    }),
  };
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

/** Compares the sandbox's time with the machine's. */
export async function checkClock(server: Found): Promise<Check> {
  const name = "clock";
  const realMs = wallNowMs();
  if (server.kind !== "sandbox")
    return {
      name,
      ok: true,
      message: localize({
        en: `This machine's time is ${toUtc(realMs)}.`,
        pt: `A hora desta máquina é ${toUtc(realMs)}.`,
      }),
    };
  try {
    const { now, mode } = await server.client.control<WireClock>("GET", "/clock");
    return describeClock(now, mode, Date.parse(now) - wallNowMs());
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { name, ok: false, message: error.message, hint: error.hint };
  }
}

function describeClock(now: string, mode: string, aheadMs: number): Check {
  const ahead = aheadOfRealTime(aheadMs);
  const difference = localize(ahead ?? { en: "the same as real time", pt: "igual à hora real" });
  if (mode === "frozen")
    return {
      name: "clock",
      ok: true,
      message: localize({
        en: `The sandbox's clock is frozen at ${now}, ${difference}.`,
        pt: `O relógio do sandbox está congelado em ${now}, ${difference}.`,
      }),
      hint: localize({
        en: `Expiry and retries wait for: ${PROGRAM} clock advance, or clock resume.`,
        pt: `Expiração e novas tentativas esperam: ${PROGRAM} clock advance, ou clock resume.`,
      }),
    };
  return {
    name: "clock",
    ok: true,
    message: localize({
      en: `The sandbox's time is ${now}, ${difference}.`,
      pt: `A hora do sandbox é ${now}, ${difference}.`,
    }),
    hint:
      ahead &&
      localize({
        en: `To set it back to its start: ${PROGRAM} reset. It deletes all records.`,
        pt: `Para voltar ao início: ${PROGRAM} reset. Ele apaga todos os registros.`,
      }),
  };
}

function toUtc(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
