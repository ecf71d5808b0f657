// Tools for commands that need no running sandbox. Each loads its large modules when it is called.
import { existsSync } from "node:fs";
import { STANDARD_ASSUMPTIONS } from "../../core/assumptions/table.ts";
import { isLoopbackHost } from "../../core/records/webhook-url.ts";
import type { Sender } from "../../delivery/sender.ts";
import type { ApiDescription } from "../../http/openapi/document.ts";
import { StateExistsError, StateFileError, StateInUseError } from "../../store/errors.ts";
import { type Message, say } from "../../text/message.ts";
import { isFile, labelOf } from "../options/state-kinds.ts";
import { openStorage } from "../start-up/open-state.ts";

export type { PostOutcome } from "../../delivery/sender.ts";
export {
  type Mistake,
  STANDARD_TOLERANCE_MS,
  type Verdict,
  verifyWebhook,
} from "../../webhook-diagnosis/verify.ts";

/**
 * Locks a file for this process until the returned function is called.
 * @throws StateInUseError if another process holds it.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  return (await import("../../store/file/lock.ts")).lock(file);
}

export interface CopiedState {
  readonly payins: number;
  readonly payouts: number;
  readonly deliveries: number;
  readonly snapshots: number;
}

/**
 * Copies a state to another place, where none may be: from or to a file or a database.
 * @throws StateFileError if a state cannot be read, StateExistsError if there is one at `to`, StateInUseError if a
 * sandbox uses a state file, StorageError if the copy cannot be written.
 */
export async function copyState(from: string, to: string): Promise<CopiedState> {
  if (from === to) throw new StateExistsError(labelOf(to));
  const { copyStorage } = await import("../../store/copy.ts");
  const refuse = (text: Message): never => {
    throw new StateInUseError(text);
  };
  if (isFile(from) && !existsSync(from))
    throw new StateFileError(say`There is no state at ${from}.`);
  const source = await openStorage(from, () => undefined, refuse, true);
  try {
    const target = await openStorage(to, () => undefined, refuse);
    try {
      const { state, snapshots } = await copyStorage(source, target);
      const { transactions, deliveries } = state.records;
      const payins = transactions.all().filter(({ kind }) => kind === "payin").length;
      return {
        payins,
        payouts: transactions.size - payins,
        deliveries: deliveries.size,
        snapshots,
      };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Creates a sender of webhooks to an address. It accepts any certificate of this machine. */
export async function createSender(url: string): Promise<Sender> {
  const { Sender: Created } = await import("../../delivery/sender.ts");
  return new Created({ isInsecure: isLoopbackHost(new URL(url).hostname) });
}

/** Draws a QR code, as the bytes of a PNG or the text of an SVG. */
export async function renderQr(code: string, form: "png" | "svg"): Promise<Buffer | string> {
  const { renderQrPng, renderQrSvg } = await import("../../http/calls/qr-image.ts");
  return form === "png" ? renderQrPng(code) : renderQrSvg(code);
}

/** Describes every route as an OpenAPI document, under the standard assumptions. */
export async function describeApi(): Promise<ApiDescription> {
  return (await import("../../http/openapi/document.ts")).describeApi(STANDARD_ASSUMPTIONS);
}
