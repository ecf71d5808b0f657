export type {
  AssumptionChanges,
  AssumptionName,
  Credential,
  Observation,
  Profile,
} from "./core/assumptions/table.ts";
export type {
  EventType,
  PayinStatus,
  PayoutStatus,
  ConfiguredEvent,
} from "./core/records/transaction.ts";
export type { DeliveryStatus } from "./core/records/delivery.ts";
export type { ErrorCode, TopLevelCode } from "./core/records/errors.ts";
export type { FaultPlace, FaultyOperation } from "./core/faults/effects.ts";
export type { PixKeyType } from "./core/records/checks.ts";
export type { Verdict } from "./review/labels.ts";
export type {
  WireEvidence as ReviewEvidence,
  WireFinding as ReviewFinding,
  WireReview as Review,
  WireUsedAssumption as ReviewAssumption,
} from "./review/report.ts";
export type { RuleId } from "./review/rules.ts";
export type { ReportOptions } from "./client/review.ts";
export { SandboxError, type Refusal, type SandboxFieldError } from "./client/calls.ts";
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
} from "./client/records.ts";
export {
  type ClientOptions,
  createClient,
  type SandboxClient,
  type Signing,
} from "./client/connect.ts";
export type { ClockMoves } from "./client/clock.ts";
export type { BodySubset, GatewayCall, ReceivedOptions } from "./client/received.ts";
export type { WebhookEvent } from "./client/events.ts";
export { type Sandbox, type SandboxClock, startSandbox } from "./client/start.ts";
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
} from "./client/view.ts";
export {
  type NextOptions,
  type ReceivedWebhook,
  type Receiver,
  ReceiverTimeoutError,
  type WebhookResponse,
  type WebhookBody,
} from "./client/receiver.ts";
export { WaitTimeoutError } from "./client/wait-timeout.ts";
export {
  FixtureError,
  SandboxClosedError,
  StateFileError,
  StateInUseError,
} from "./server/options/errors.ts";
export type {
  FaultFixture,
  Fixtures,
  PayinFixture,
  PayoutFixture,
} from "./server/options/fixtures.ts";
export type { SandboxOptions } from "./server/options/options.ts";
export { type SandboxInUse, type SuiteHooks, useSandbox } from "./test-frameworks/use-sandbox.ts";
