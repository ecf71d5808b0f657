import {
  type Attempt,
  type CallEffect,
  type ClockReading,
  createClient,
  type CreatedPayin,
  type Delivery,
  type Fault,
  type Integration,
  type LoggedRequest,
  type Payin,
  type Payout,
  type Sandbox,
  type SandboxClient,
  SandboxError,
  type SandboxOptions,
  type Snapshot,
  startSandbox,
  WaitTimeoutError,
  type WebhookConfiguration,
  type WebhookEvent,
  type WebhookFaultEffect,
} from "pix-sandbox";

const options: SandboxOptions = { seed: "42", assumptions: { "payout.rival": "reject" } };
await using sandbox: Sandbox = await startSandbox(options);
const shop: Integration = sandbox.integration("worker-1");

const payin: CreatedPayin = await shop.payins.create({ value: 10.5, generateQrcode: true });
const paid: Payin = await shop.payins.pay(payin.id);
export const status: "waiting" | "paid" | "completed" | "canceled" | "expired" = paid.status;
export const texts: readonly (string | null | undefined)[] = [
  paid.buyerCpf,
  paid.description,
  paid.settledAt,
  payin.qrCodeBase64,
];
export const payouts: readonly Payout[] = await shop.payouts.list({ status: "waiting" });
const delivery: Delivery = await shop.webhooks.waitFor({
  type: "payin.paid",
  transactionId: payin.id,
});
const attempt: Attempt | undefined = delivery.attempts[0];
export const answered: number | undefined = attempt?.status;
export const once: Fault = await shop.faults.once("webhook", "delay_ms=500", { value: 10.5 });
export const reading: ClockReading = await sandbox.clock.advance({ minutes: 5 });
export const requests: readonly LoggedRequest[] = await shop.requests.list();
export const answer: Response = await sandbox.fetch("/_sandbox/health");

const client: SandboxClient = createClient({
  baseUrl: sandbox.baseUrl,
  headers: { "x-api-token": "worker-1" },
});
export const kept: readonly Snapshot[] = await client.snapshots.list();
export const configured: WebhookConfiguration = await client.webhooks.configure({
  webhookUrl: "http://127.0.0.1:3000",
  events: ["payment.received"],
});
createClient({ headers: new Headers() });
// @ts-expect-error an event that there is not
await client.webhooks.configure({ webhookUrl: "http://127.0.0.1:3000", events: ["payment.lost"] });

export const effects: readonly (CallEffect | WebhookFaultEffect)[] = [
  "error=EXTERNAL_ERROR",
  "latency_ms=300",
  "lost_answer",
  "drop_attempts=2",
  'patch_body={"status":null}',
];
// @ts-expect-error an effect without its number
export const noNumber: CallEffect = "latency_ms";
// @ts-expect-error an effect whose value is no number
export const noDigits: CallEffect = "latency_ms=soon";
// @ts-expect-error an error that there is not
export const noCode: CallEffect = "error=EXTERNAL";
// @ts-expect-error an effect that takes no value
await shop.faults.add({ on: "webhook", effect: "reorder=1" });

const off: () => void = sandbox.on("payin.paid", ({ data }) => {
  const text: string | null = data.endToEndId;
  return text;
});
off();
shop.on("payout.canceled", ({ data }) => data.receiverCpf);
// @ts-expect-error a payout has no buyer
shop.on("payout.canceled", ({ data }) => data.buyerCpf);
// @ts-expect-error a type of webhook that there is not
shop.on("payin.payed", () => undefined);
for await (const event of shop.events()) {
  const { type, createdAt, integration }: WebhookEvent = event;
  if (event.type === "payin.paid") throw new Error(event.data.buyerCpf + createdAt + integration);
  // @ts-expect-error the data may be a payout
  throw new Error(type + event.data.buyerCpf);
}
const sent: LoggedRequest = await shop.requests.expectReceived("POST /v1/payins", { value: 25 });
// @ts-expect-error a path without its method
await shop.requests.expectReceived("/v1/payins");
await shop.expectNoUnusedFaults();
await client.expectNoRefusedCalls();
export const used: readonly Fault[] = sent.lost ? [] : await shop.faults.used();
// @ts-expect-error a webhook's effect does not act on calls
await shop.faults.once("payins.create", "reorder");
// @ts-expect-error a member that is misspelled
await shop.payins.create({ webhookURL: "http://127.0.0.1:3000" });
// @ts-expect-error a unit that is none
await sandbox.clock.advance({ minute: 5 });
// @ts-expect-error an assumption that there is not
await startSandbox({ assumptions: { "payout.rivals": "reject" } });
// @ts-expect-error a type of webhook that there is not
await shop.webhooks.waitFor({ type: "payin.payed" });

export function tell(error: unknown): string {
  if (error instanceof WaitTimeoutError) return error.seen.map(({ type }) => type).join();
  return error instanceof SandboxError ? `${error.code} ${error.errors[0]?.field}` : "";
}
