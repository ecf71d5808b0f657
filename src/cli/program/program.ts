import type { Command } from "commander";
import type { LocalizedText } from "../../text/localized-text.ts";
import { VERSION } from "../../wire/version.ts";
import { firstWord } from "./arguments.ts";
import { CliCommand } from "../definition/command.ts";
import type { CommandBuilder } from "../definition/define-command.ts";
import { type Example, HELP, renderCommon } from "../definition/help.ts";
import type { Io } from "../terminal/io.ts";
import { inLanguage, type Language, localize } from "../terminal/language.ts";
import { connectionOptions, langOption, withExamples } from "../definition/options.ts";

/** A top-level command. Its module is loaded only to run it, to show its own help, or for completion. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: LocalizedText;
  load(): Promise<CommandBuilder>;
}

/** The commands by their names, in the order of the help. */
const TABLE: Readonly<Record<string, Omit<CommandEntry, "name">>> = {
  serve: {
    summary: { en: "start the gateway", pt: "inicia o gateway" },
    load: async () => (await import("../commands/serve.ts")).serveCommand,
  },
  exec: {
    summary: {
      en: "run a command with its own sandbox, and exit with its exit code",
      pt: "roda um comando com um sandbox próprio e termina com o código de saída dele",
    },
    load: async () => (await import("../commands/exec.ts")).execCommand,
  },
  matrix: {
    summary: {
      en: "run your tests with each other choice, to see which open questions they depend on",
      pt: "roda seus testes com cada outra escolha, para ver de que dúvidas eles dependem",
    },
    load: async () => (await import("../commands/matrix.ts")).matrixCommand,
  },
  ready: {
    summary: {
      en: "check whether a sandbox is running",
      pt: "verifica se um sandbox está rodando",
    },
    load: async () => (await import("../commands/ready.ts")).readyCommand,
  },
  trigger: {
    summary: {
      en: "cause an event: create what it needs, move it, and show the webhook and its response",
      pt: "causa um evento: cria o que ele precisa, o move e mostra o webhook e a resposta",
    },
    load: async () => (await import("../commands/trigger.ts")).triggerCommand,
  },
  listen: {
    summary: {
      en: "receive webhooks, verify and print them",
      pt: "recebe webhooks, verifica e mostra cada um",
    },
    load: async () => (await import("../commands/listen.ts")).listenCommand,
  },
  payin: {
    summary: {
      en: "create, list, pay, cancel and expire payins (charges)",
      pt: "cria, lista, paga, cancela e expira payins (cobranças)",
    },
    load: async () => (await import("../commands/payin.ts")).payinCommand,
  },
  payout: {
    summary: { en: "create, list and settle payouts", pt: "cria, lista e conclui payouts" },
    load: async () => (await import("../commands/payout.ts")).payoutCommand,
  },
  qr: {
    summary: {
      en: "draw a payin's QR code in the terminal, or write it to a file",
      pt: "desenha o QR Code de um payin no terminal, ou o grava em um arquivo",
    },
    load: async () => (await import("../commands/qr.ts")).qrCommand,
  },
  pay: {
    summary: {
      en: "pay a payin from its BR Code, from a picture of its QR code, or by its id",
      pt: "paga um payin pelo BR Code, por uma imagem do QR Code ou pelo id",
    },
    load: async () => (await import("../commands/pay.ts")).payCommand,
  },
  decode: {
    summary: {
      en: "explain each field of a BR Code, and name the wrong one",
      pt: "explica cada campo de um BR Code e aponta o que está errado",
    },
    load: async () => (await import("../commands/decode.ts")).decodeCommand,
  },
  simulate: {
    summary: {
      en: "move a payin or payout to a final status, as the staging endpoints do",
      pt: "leva um payin ou payout a um status final, como os endpoints de staging",
    },
    load: async () => (await import("../commands/simulate.ts")).simulateCommand,
  },
  webhooks: {
    summary: {
      en: "watch, list, resend and verify webhooks",
      pt: "acompanha, lista, reenvia e verifica webhooks",
    },
    load: async () => (await import("../commands/webhooks.ts")).webhooksCommand,
  },
  "check-webhook": {
    summary: {
      en: "send a handler valid and forged webhooks, and judge what it does",
      pt: "envia a um handler webhooks válidos e forjados, e julga o que ele faz",
    },
    load: async () => (await import("../commands/check-webhook.ts")).checkWebhookCommand,
  },
  wait: {
    summary: {
      en: "wait until a webhook is delivered; an earlier delivery counts too",
      pt: "espera até que um webhook seja entregue; uma entrega anterior também conta",
    },
    load: async () => (await import("../commands/wait.ts")).waitCommand,
  },
  clock: {
    summary: { en: "show and move the sandbox's time", pt: "mostra e move o tempo do sandbox" },
    load: async () => (await import("../commands/clock.ts")).clockCommand,
  },
  snapshot: {
    summary: {
      en: "save the records under a name, and restore them",
      pt: "salva os registros com um nome e os restaura",
    },
    load: async () => (await import("../commands/snapshot.ts")).snapshotCommand,
  },
  reset: {
    summary: {
      en: "delete all records and pending webhooks, and load the fixtures again; snapshots and secret stay",
      pt: "apaga todos os registros e webhooks pendentes e carrega as fixtures de novo; snapshots e segredo ficam",
    },
    load: async () => (await import("../commands/reset.ts")).resetCommand,
  },
  faults: {
    summary: {
      en: "inject faults, list them with their use, and remove them",
      pt: "injeta falhas, lista o uso de cada uma e as remove",
    },
    load: async () => (await import("../commands/faults.ts")).faultsCommand,
  },
  requests: {
    summary: {
      en: "list the gateway's newest requests and their results",
      pt: "lista as requisições mais recentes do gateway e o resultado de cada uma",
    },
    load: async () => (await import("../commands/requests.ts")).requestsCommand,
  },
  report: {
    summary: {
      en: "judge the integration by what it has done: failures, warnings, and what was not seen",
      pt: "avalia a integração pelo que ela fez: falhas, avisos e o que não foi visto",
    },
    load: async () => (await import("../commands/report.ts")).reportCommand,
  },
  scenario: {
    summary: {
      en: "run scenarios and show the first step that fails",
      pt: "executa cenários e mostra o primeiro passo que falha",
    },
    load: async () => (await import("../commands/scenario.ts")).scenarioCommand,
  },
  export: {
    summary: {
      en: "print what happened as a scenario or a script that repeats it",
      pt: "imprime o que aconteceu como um cenário ou um script que o repete",
    },
    load: async () => (await import("../commands/export.ts")).exportCommand,
  },
  secret: {
    summary: {
      en: "print the secret that signs the webhooks",
      pt: "imprime o segredo que assina os webhooks",
    },
    load: async () => (await import("../commands/secret.ts")).secretCommand,
  },
  env: {
    summary: {
      en: "print the environment variables of a sandbox, for eval in a shell",
      pt: "imprime as variáveis de ambiente de um sandbox, para o eval de um shell",
    },
    load: async () => (await import("../commands/env.ts")).envCommand,
  },
  state: {
    summary: {
      en: "check and repair a state file that no sandbox is using",
      pt: "verifica e repara um arquivo de estado que nenhum sandbox está usando",
    },
    load: async () => (await import("../commands/state.ts")).stateCommand,
  },
  init: {
    summary: {
      en: "set up a project: config file, .gitignore, test framework",
      pt: "prepara um projeto: arquivo de configuração, .gitignore, framework de testes",
    },
    load: async () => (await import("../commands/init.ts")).initCommand,
  },
  doctor: {
    summary: {
      en: "check this machine's set-up: port, server, state, clock and versions",
      pt: "verifica a instalação: porta, servidor, estado, relógio e versões",
    },
    load: async () => (await import("../commands/doctor.ts")).doctorCommand,
  },
  assumptions: {
    summary: {
      en: "list the choices for the gaps in the specification",
      pt: "lista as escolhas para as lacunas da especificação",
    },
    load: async () => (await import("../commands/assumptions.ts")).assumptionsCommand,
  },
  magic: {
    summary: {
      en: "list the magic values of `serve --magic`",
      pt: "lista os valores mágicos de `serve --magic`",
    },
    load: async () => (await import("../commands/magic.ts")).magicCommand,
  },
  openapi: {
    summary: {
      en: "print the OpenAPI 3.1 document of every route, without a sandbox",
      pt: "imprime o documento OpenAPI 3.1 de todas as rotas, sem um sandbox",
    },
    load: async () => (await import("../commands/openapi.ts")).openapiCommand,
  },
  completion: {
    summary: {
      en: "print a script that completes commands and options in a shell",
      pt: "imprime um script que completa comandos e opções em um shell",
    },
    load: async () =>
      (await import("../commands/completion.ts")).defineCompletion(createFullProgram),
  },
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = Object.entries(TABLE).map(([name, entry]) => ({
  name,
  ...entry,
}));

/** The program for one command line: only the command that it names is loaded. */
export async function createProgram(
  args: readonly string[],
  isJson: boolean,
  io: Io,
): Promise<Command> {
  const name = firstWord(args);
  const called = COMMANDS.find((entry) => entry.name === name);
  const build = await called?.load();
  // An option before the command can be --help, which lists all commands.
  const entries = called && args[0] === name ? [called] : COMMANDS;
  return assemble(isJson, io, entries, (entry) => (entry === called ? build : undefined));
}

/** The program with every command loaded, in one language. */
async function createFullProgram(language: Language, io: Io): Promise<Command> {
  const builders = new Map<CommandEntry, CommandBuilder>();
  for (const entry of COMMANDS) builders.set(entry, await entry.load());
  return inLanguage(language, () => assemble(true, io, COMMANDS, (entry) => builders.get(entry)));
}

function assemble(
  isJson: boolean,
  io: Io,
  entries: readonly CommandEntry[],
  builderOf: (entry: CommandEntry) => CommandBuilder | undefined,
): CliCommand {
  const program = new CliCommand("pix-sandbox")
    .description(
      localize({
        en: "A PIX instant-payment gateway that runs on your own machine.",
        pt: "Um gateway de pagamentos instantâneos PIX que roda na sua própria máquina.",
      }),
    )
    .version(
      VERSION,
      "-V, --version",
      localize({ en: "print the version", pt: "imprime a versão" }),
    )
    .helpOption("-h, --help", localize({ en: "print help", pt: "imprime a ajuda" }))
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.print(text.replace(/\n$/, "")),
      // With --json, stderr has one JSON object only.
      writeErr: (text) => isJson || io.printError(text.replace(/\n$/, "")),
    })
    .configureHelp(HELP);
  program.environment = io.env;
  withExamples(program, EXAMPLES);
  program.addOption(langOption().helpGroup("Options:"));
  const common = (): string => renderCommon(connectionOptions(), program.createHelp());
  program.addHelpText("after", common);
  for (const entry of entries) {
    const command = builderOf(entry)?.(io) ?? new CliCommand(entry.name);
    program.addCommand(command.description(localize(entry.summary)));
  }
  inheritSettings(program);
  return program;
}

const EXAMPLES: readonly Example[] = [
  ["serve", { en: "start the gateway", pt: "inicia o gateway" }],
  [
    "trigger payin.paid",
    { en: "cause a payment and show its webhook", pt: "provoca um pagamento e mostra o webhook" },
  ],
  [
    "payin create --qr",
    {
      en: "create a charge and draw its QR code",
      pt: "cria uma cobrança e desenha o QR Code dela",
    },
  ],
  [
    "simulate payin last",
    { en: "pay it: its webhook is sent", pt: "paga a cobrança: o webhook dela é enviado" },
  ],
  ["webhooks tail", { en: "watch the webhooks", pt: "acompanha os webhooks" }],
];

/** Commands added with `addCommand` do not inherit how their parent prints and exits, nor common options. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    if (child.commands.length === 0) child.addOption(langOption());
    child.copyInheritedSettings(command).helpCommand(false);
    inheritSettings(child);
  }
}
