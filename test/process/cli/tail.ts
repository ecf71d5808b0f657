import { startCli } from "../../support/cli.ts";
import { startMain } from "../../support/main.ts";
import { type Program, type RunOptions, type Running } from "../../support/process.ts";
import { type Calls } from "../../support/calls.ts";

interface AttemptLine {
  readonly id: string;
  readonly type: string;
  readonly transaction_id: string;
  readonly status: string;
  readonly attempt_number: number;
  readonly attempt: { readonly status?: number; readonly error?: string };
}

export function startTail(url: string, ...args: string[]): Promise<Running> {
  return untilConnected(startMain(["webhooks", "tail", "--url", url, ...args]));
}

export function startTailProcess(
  url: string,
  args: readonly string[] = [],
  options?: RunOptions,
): Promise<Program> {
  return untilConnected(startCli(["webhooks", "tail", "--url", url, ...args], options));
}

async function untilConnected<Tail extends Running>(tail: Tail): Promise<Tail> {
  await tail.lines("stderr", 1, (line) => line.startsWith("Connected"));
  return tail;
}

export function toAttempts(lines: readonly string[]): AttemptLine[] {
  return lines.map((line) => JSON.parse(line) as AttemptLine);
}

/** Creates a payin and simulates that it is paid. */
export async function payOne(calls: Calls, webhookUrl: string): Promise<string> {
  const { body } = await calls.createPayin({ webhook_url: webhookUrl });
  await calls.simulate("payin", body.id);
  return body.id;
}
