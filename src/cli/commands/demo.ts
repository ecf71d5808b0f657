import type { Demo, DemoOptions } from "../../demo/demo.ts";
import type { Order, Step } from "../../demo/orders.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { VERSION } from "../../wire/names.ts";
import { say } from "../../text/message.ts";
import { defineOwnCommand } from "../definition/define-command.ts";
import { flag, integer } from "../definition/parameters.ts";
import { stopSignal } from "../records/following.ts";
import { inspectorUrl } from "../serving/ready.ts";
import { drawQrCode } from "../terminal/draw-qr.ts";
import { CliError, EXIT } from "../terminal/errors.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { toTime } from "../terminal/times.ts";

/** Where commands look for a sandbox. */
const GATEWAY_PORT = 7490;

export const demoCommand = defineOwnCommand("demo", {
  isLocal: true,
  flags: {
    port: integer([0, 65_535], "port", say`the port of the shop; 0 takes a free one`, {
      default: 7491,
    }),
    local: flag(say`keep the shop on this machine: no phone can open it`),
  },
  async run({ port, local }, { io, json }) {
    using stopping = stopSignal(io);
    const onStep = (order: Order, step: Step): void => {
      if (!json) io.print(renderStep(order, step, io));
    };
    await using demo = await open({ port, isLocal: local ?? false, onStep });
    if (json) io.printJson(toReady(demo));
    else io.print(renderBanner(demo, io));
    await new Promise<void>((resolve) => {
      if (stopping.signal.aborted) resolve();
      stopping.signal.addEventListener("abort", () => resolve());
    });
    stopping.throwIfInterrupted();
  },
  examples: [
    ["demo", say`buy in a browser or on a phone, pay, and watch the webhook`],
    ["demo --local --port 0", say`on this machine only, at a free port`],
  ],
});

/** Starts the demo with the gateway where commands look for it, or at a free port if that one is in use. */
async function open(options: Omit<DemoOptions, "gatewayPort">): Promise<Demo> {
  const { startDemo } = await import("../../demo/demo.ts");
  try {
    return await startDemo({ ...options, gatewayPort: GATEWAY_PORT }).catch((error: unknown) => {
      if (!isTaken(error, GATEWAY_PORT)) throw error;
      return startDemo({ ...options, gatewayPort: 0 });
    });
  } catch (error) {
    if (!isTaken(error, options.port)) throw error;
    throw new CliError(
      EXIT.inUse,
      "PORT_TAKEN",
      say`Port ${options.port} is in use.`,
      say`Choose another port with --port, or a free one with --port 0.`,
    );
  }
}

function isTaken(error: unknown, port: number): boolean {
  const { code, port: taken } = error as NodeJS.ErrnoException & { readonly port?: number };
  return code === "EADDRINUSE" && taken === port;
}

function toReady({ sandbox, shopUrl, networkUrls }: Demo) {
  return {
    type: "ready",
    shop_url: shopUrl,
    network_urls: networkUrls,
    url: sandbox.url,
    inspector_url: inspectorUrl(sandbox),
    pid: process.pid,
  };
}

function renderBanner({ sandbox, shopUrl, networkUrls }: Demo, { color }: Io): string {
  const [phoneUrl] = networkUrls;
  const line = (name: string, value: string): string => `  ${color.dim(name.padEnd(11))}${value}`;
  return [
    color.bold(`pix-sandbox ${VERSION}`),
    line(localize(say`Shop`), shopUrl),
    ...networkUrls.map((url) => line("", url)),
    line(localize(say`Inspector`), inspectorUrl(sandbox)),
    "",
    ...(phoneUrl === undefined
      ? []
      : [
          drawQrCode(phoneUrl, color),
          localize(say`Scan the code with a phone in the same network, or open the shop here.`),
        ]),
    localize(say`Buy something and pay it: the webhook appears here. Press Ctrl-C to stop.`),
  ].join("\n");
}

function renderStep({ number }: Order, { atMs, text, isFailure }: Step, { color }: Io): string {
  const mark = isFailure ? color.red("✕") : color.green("●");
  return `${color.dim(toTime(new Date(atMs)).slice(0, 8))}  ${number}  ${mark} ${toSafeLine(localize(text))}`;
}
