// The checks of `doctor`. None changes anything.
import { access, constants, readFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import type { LocalizedText } from "../../text/localized-text.ts";
import { aheadOfRealTime } from "../../text/span.ts";
import { SHOW_CLOCK } from "../../core/state/wire-routes.ts";
import { VERSION } from "../../wire/version.ts";
import { PROGRAM } from "../../platform/program.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { StateInUseError } from "../../server/options/errors.ts";
import { isFile, labelOf, wrongAddress } from "../../server/options/state-kinds.ts";
import { checkState } from "../../server/tools/tools.ts";
import { CommandClient, urlOption } from "../client/command-client.ts";
import { CliError } from "../terminal/errors.ts";
import { type Io, pathIn } from "../terminal/io.ts";
import { localize, textOf } from "../terminal/language.ts";

/** What the checks look at. */
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

/** A text in the current language, or in all. */
type Text = LocalizedText | string;

/** What a check finds. */
export interface Finding {
  readonly ok: boolean;
  readonly message: string;
  /** What to do next; null if there is nothing to do. */
  readonly hint: string | null;
}

const finding = (ok: boolean, message: Text, hint?: Text): Finding => ({
  ok,
  message: toText(message),
  hint: hint === undefined ? null : toText(hint),
});
const toText = (text: Text): string => (typeof text === "string" ? text : localize(text));
const good = (message: Text, hint?: Text): Finding => finding(true, message, hint);
const problem = (message: Text, hint?: Text): Finding => finding(false, message, hint);

/** Each check in the order in which `doctor` prints it, by its name. */
export const CHECKS: Readonly<Record<string, (examined: Examined) => Finding | Promise<Finding>>> =
  {
    node: () => {
      // The program does not start on a version that it does not support.
      const { version, platform, arch } = process;
      return good({
        en: `Node.js ${version} on ${platform} ${arch} is supported.`,
        pt: `O Node.js ${version} em ${platform} ${arch} é suportado.`,
      });
    },

    versions: async ({ server, io }) => {
      const installed = await installedVersion(io);
      if (installed !== undefined && installed !== VERSION)
        return problem(
          {
            en: `This command is pix-sandbox ${VERSION}, but the project has ${installed}.`,
            pt: `Este comando é o pix-sandbox ${VERSION}, mas o projeto tem o ${installed}.`,
          },
          {
            en: "Run the project's own with: npx pix-sandbox. Or update it: npm install pix-sandbox@latest.",
            pt: "Rode o do projeto com: npx pix-sandbox. Ou atualize-o: npm install pix-sandbox@latest.",
          },
        );
      if (server.kind !== "sandbox")
        return good({
          en: `The command is pix-sandbox ${VERSION}.`,
          pt: `O comando é o pix-sandbox ${VERSION}.`,
        });
      if (server.version === VERSION)
        return good({
          en: `The command and the server are pix-sandbox ${VERSION}.`,
          pt: `O comando e o servidor são o pix-sandbox ${VERSION}.`,
        });
      return problem(
        {
          en: `This command is pix-sandbox ${VERSION}, but the server is ${server.version}.`,
          pt: `Este comando é o pix-sandbox ${VERSION}, mas o servidor é o ${server.version}.`,
        },
        {
          en: `Stop the server and start it again with this version, or run: npx pix-sandbox@${server.version}.`,
          pt: `Pare o servidor e inicie-o de novo com esta versão, ou rode: npx pix-sandbox@${server.version}.`,
        },
      );
    },

    config: ({ configFile, configError }) => {
      if (configFile === undefined)
        return good(
          {
            en: "There is no config file, so the defaults apply.",
            pt: "Não há arquivo de configuração; valem os padrões.",
          },
          { en: `Create one with: ${PROGRAM} init`, pt: `Crie um com: ${PROGRAM} init` },
        );
      if (!configError)
        return good({ en: `${configFile} is valid.`, pt: `${configFile} é válido.` });
      return problem(
        configError.message,
        configError.hint ?? {
          en: "Correct the file. docs/cli.md describes its members.",
          pt: "Corrija o arquivo. docs/cli.md descreve os campos dele.",
        },
      );
    },

    // Whether `serve` can listen, or a sandbox listens there already.
    port: async ({ port, host, there }) => {
      if (there.kind === "sandbox")
        return good({
          en: `pix-sandbox ${there.version} uses port ${port} of ${host}.`,
          pt: `O pix-sandbox ${there.version} usa a porta ${port} de ${host}.`,
        });
      const code = there.kind === "other" ? "EADDRINUSE" : await tryToListen(port, host);
      if (code === undefined && port === 0)
        return good({
          en: "Port 0: serve picks a free port.",
          pt: "Porta 0: o serve escolhe uma porta livre.",
        });
      if (code === undefined)
        return good({
          en: `Port ${port} of ${host} is free.`,
          pt: `A porta ${port} de ${host} está livre.`,
        });
      const reason = there.kind === "other" ? there.reason : code;
      if (code === "EADDRINUSE")
        return problem(
          {
            en: `Another program uses port ${port} of ${host} (${reason}).`,
            pt: `Outro programa usa a porta ${port} de ${host} (${reason}).`,
          },
          {
            en: `Stop that program, or use another port: ${PROGRAM} serve --port ${port + 1}`,
            pt: `Pare esse programa, ou use outra porta: ${PROGRAM} serve --port ${port + 1}`,
          },
        );
      return problem(
        {
          en: `serve cannot listen on port ${port} of ${host} (${reason}).`,
          pt: `O serve não consegue escutar na porta ${port} de ${host} (${reason}).`,
        },
        {
          en: "Choose another port or host with --port or --host.",
          pt: "Escolha outra porta ou outro host com --port ou --host.",
        },
      );
    },

    server: ({ server, isNamed }) => {
      if (server.kind === "sandbox") {
        const { url } = server.client;
        if (!server.isDegraded)
          return good({
            en: `pix-sandbox responds at ${url}`,
            pt: `O pix-sandbox responde em ${url}`,
          });
        return problem(
          {
            en: `pix-sandbox responds at ${url}, but it cannot write its state and refuses changes.`,
            pt: `O pix-sandbox responde em ${url}, mas não consegue gravar o estado e recusa mudanças.`,
          },
          {
            en: "Its standard error shows the reason. Free disk space, or make the folder writable.",
            pt: "A saída de erro dele mostra o motivo. Libere espaço em disco, ou torne a pasta gravável.",
          },
        );
      }
      const { url, reason } = server;
      if (server.kind === "other")
        return problem(
          {
            en: `The server at ${url} is not pix-sandbox (${reason}).`,
            pt: `O servidor em ${url} não é um pix-sandbox (${reason}).`,
          },
          {
            en: "Set the sandbox's address with --url or PIX_SANDBOX_URL.",
            pt: "Informe o endereço do sandbox com --url ou PIX_SANDBOX_URL.",
          },
        );
      const none = {
        en: `No server responds at ${url} (${reason}).`,
        pt: `Nenhum servidor responde em ${url} (${reason}).`,
      };
      if (isNamed)
        return problem(none, {
          en: "Start a sandbox there, or correct --url or PIX_SANDBOX_URL.",
          pt: "Inicie um sandbox ali, ou corrija --url ou PIX_SANDBOX_URL.",
        });
      return good(none, {
        en: `Start a sandbox with: ${PROGRAM} serve`,
        pt: `Inicie um sandbox com: ${PROGRAM} serve`,
      });
    },

    state: async ({ state, there, server, io }) => {
      if (state === undefined)
        return good({ en: "The state is in memory.", pt: "O estado fica em memória." });
      const wrong = wrongAddress(state);
      if (wrong) return problem(wrong);
      if (!isFile(state))
        return good({
          en: `The state is at ${labelOf(state)}`,
          pt: `O estado está em ${labelOf(state)}`,
        });
      try {
        return await examineFile(state, pathIn(io, state));
      } catch (error) {
        const message = textOf(error as Error);
        if (!(error instanceof StateInUseError))
          return problem(message, {
            en: "Use another state with --state, or store nothing with --memory.",
            pt: "Use outro estado com --state, ou não grave nada com --memory.",
          });
        if (there.kind === "sandbox" || server.kind === "sandbox") return good(message);
        return problem(message, {
          en: "That sandbox has another address. Pass it with --url, or stop that process.",
          pt: "Esse sandbox tem outro endereço. Informe-o com --url, ou pare esse processo.",
        });
      }
    },

    // The sandbox's time beside the machine's.
    clock: async ({ server }) => {
      const realMs = wallNowMs();
      if (server.kind !== "sandbox")
        return good({
          en: `This machine's time is ${toUtc(realMs)}.`,
          pt: `A hora desta máquina é ${toUtc(realMs)}.`,
        });
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
      { en: `${state} is damaged.`, pt: `${state} está danificado.` },
      {
        en: `Find the damage with: ${PROGRAM} state check ${state}. Recover with: ${PROGRAM} state repair ${state}`,
        pt: `Encontre o dano com: ${PROGRAM} state check ${state}. Recupere com: ${PROGRAM} state repair ${state}`,
      },
    );
  await assertWritable(file);
  if (!report)
    return good({
      en: `${state} does not exist yet. serve creates it.`,
      pt: `${state} ainda não existe. O serve o cria.`,
    });
  const { payins, payouts, problems } = report;
  if (problems.length === 0)
    return good({
      en: `${state} is intact: ${payins} payins, ${payouts} payouts.`,
      pt: `${state} está íntegro: payins: ${payins}, payouts: ${payouts}.`,
    });
  return problem(
    {
      en: `${state} contains records that the API could not have created: ${problems.length}.`,
      pt: `${state} contém registros que a API não poderia ter criado: ${problems.length}.`,
    },
    {
      en: `List them with: ${PROGRAM} state check ${state}`,
      pt: `Liste-os com: ${PROGRAM} state check ${state}`,
    },
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
  const difference = localize(ahead ?? { en: "the same as real time", pt: "igual à hora real" });
  if (mode === "frozen")
    return good(
      {
        en: `The sandbox's clock is frozen at ${now}, ${difference}.`,
        pt: `O relógio do sandbox está congelado em ${now}, ${difference}.`,
      },
      {
        en: `Expiry and retries wait for: ${PROGRAM} clock advance${address}, or clock resume.`,
        pt: `Expiração e novas tentativas esperam: ${PROGRAM} clock advance${address}, ou clock resume.`,
      },
    );
  const time = {
    en: `The sandbox's time is ${now}, ${difference}.`,
    pt: `A hora do sandbox é ${now}, ${difference}.`,
  };
  if (!ahead) return good(time);
  return good(time, {
    en: `To set it back to its start, and delete all records: ${PROGRAM} reset${address}`,
    pt: `Para voltar ao início e apagar todos os registros: ${PROGRAM} reset${address}`,
  });
}

function toUtc(timeMs: number): string {
  return new Date(timeMs).toISOString();
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
