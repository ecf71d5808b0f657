export type { AssumptionChanges, AssumptionName } from "./core/assumptions/table.ts";
export type { Credential } from "./core/credentials.ts";
export type { DeliveryStatus, EventType } from "./core/webhooks/delivery.ts";
export type { ErrorCode, TopLevelCode } from "./core/errors.ts";
export type { FaultPlace, FaultyOperation } from "./core/faults/effects.ts";
export type { PayinStatus } from "./core/payments/payin.ts";
export type { PayoutStatus } from "./core/payments/payout.ts";
export type { PixKeyType } from "./core/payments/pix-key.ts";
export type { ConfiguredEvent } from "./core/webhooks/webhook-configuration.ts";
export type { Verdict } from "./core/review/finding.ts";
export type {
  WireEvidence as ReviewEvidence,
  WireFinding as ReviewFinding,
  WireReview as Review,
  WireUsedAssumption as ReviewAssumption,
} from "./core/review/report.ts";
export type { RuleId } from "./core/review/rules.ts";
export type { ReportOptions } from "./api/review.ts";
export { SandboxError, type Refusal, type SandboxFieldError } from "./api/wire-client.ts";
export type {
  AssumptionRow,
  Attempt,
  CallEffect,
  CallOptions,
  ClockReading,
  CreatedPayin,
  Delivery,
  Duration,
  Fault,
  FaultMatch,
  LoggedRequest,
  NewFault,
  NewPayin,
  NewPayout,
  Payin,
  PayinFilter,
  Payout,
  PayoutFilter,
  SeenDelivery,
  Snapshot,
  TimedEvent,
  WaitOptions,
  WebhookConfiguration,
  WebhookFaultEffect,
  WebhookFilter,
} from "./api/records.ts";
export {
  type ClientOptions,
  createClient,
  type SandboxClient,
  type Signing,
} from "./api/connect.ts";
export type { ClockMoves } from "./api/clock.ts";
export type { BodySubset, GatewayCall, ReceivedOptions } from "./api/received.ts";
export type { HookedCall, HookedResponse, ResponseHook } from "./sandbox/sandbox.ts";
export type { WebhookEvent } from "./api/events.ts";
export { type Sandbox, type SandboxClock, startSandbox } from "./api/start.ts";
export type {
  AssumptionsView,
  Faults,
  Integration,
  Payins,
  Payouts,
  Requests,
  Snapshots,
  View,
  Webhooks,
} from "./api/view.ts";
export {
  type NextOptions,
  type ReceivedWebhook,
  type Receiver,
  ReceiverTimeoutError,
  type WebhookResponse,
  type WebhookBody,
} from "./api/receiver.ts";
export { WaitTimeoutError } from "./api/wait-timeout.ts";
export {
  FixtureError,
  SandboxClosedError,
  StateFileError,
  StateInUseError,
} from "./sandbox/errors.ts";
export type {
  FaultFixture,
  Fixtures,
  PayinFixture,
  PayoutFixture,
  SandboxOptions,
} from "./sandbox/options.ts";
