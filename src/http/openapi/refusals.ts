import type { Assumptions } from "../../core/assumptions/table.ts";
import { AssumptionTrace } from "../../core/assumptions/trace.ts";
import { GatewayError, type TopLevelCode, TOP_LEVEL_CODES } from "../../core/records/errors.ts";
import { HttpRefusal, toErrorAnswer } from "../calls/refusals.ts";
import type { Route } from "../definitions/route.ts";
import { verbatim } from "../../text/message.ts";

/** A reason for a refusal. Its status is that of its code, unless it has one of its own. */
type Reason = readonly [code: TopLevelCode, because: string, status?: number];

/** The reasons that only some routes have. */
const OWN: Readonly<
  Record<NonNullable<NonNullable<Route["gateway"]>["refusals"]>[number], Reason>
> = {
  rival: ["NOT_PROCESSABLE", "the receiver has a payout in progress."],
  simulation: [
    "NOT_PROCESSABLE",
    "the transaction is unknown or already final, or the environment is production.",
  ],
  notConfigured: ["NOT_PROCESSABLE", "no webhook is configured.", 404],
};

/** One status of a gateway route: its reasons, and an example of the first. */
interface DescribedRefusal {
  readonly status: number;
  readonly description: string;
  readonly example: unknown;
}

/** The refusals of a gateway route that are possible under these assumptions. */
export function refusalsOf(
  { gateway, operation }: Route,
  assumptions: Assumptions,
  { hasBody, isProblem }: { readonly hasBody: boolean; readonly isProblem: boolean },
): readonly DescribedRefusal[] {
  const { isKeyed = false, refusals = [] } = gateway ?? {};
  const language = assumptions["error.language"];
  const trace = new AssumptionTrace(assumptions);
  const canLackCredential =
    assumptions["header.missing"] === "unauthorized" || assumptions.credentials === "listed";
  const reasons: readonly Reason[] = [
    ["VALIDATION_ERROR", "the request's address or its `Host` header is malformed."],
    ["NOT_PROCESSABLE", "the `Host` or the `Origin` is not allowed.", 403],
    ["VALIDATION_ERROR", "a header or a member breaks its rule; `errors` has an entry for each."],
    ...only(canLackCredential, [
      "NO_ACTIVE_CREDENTIAL",
      "an identification header is missing or empty, or the credential is not listed.",
    ]),
    ...only(isKeyed, [
      "DUPLICATED_VALUE",
      "`x-idempotency-key` was used before: for another request, or repeats are refused.",
    ]),
    ...refusals
      .filter((name) => name !== "rival" || assumptions["payout.rival"] === "reject")
      .map((name) => OWN[name]),
    ...only(assumptions["rate_limit.per_minute"] > 0, [
      "NOT_PROCESSABLE",
      "the integration made too many requests within a minute; `retry-after` gives the seconds until the next is admitted.",
      429,
    ]),
    ["EXTERNAL_ERROR", "the sandbox cannot write its state file.", 503],
    ...(hasBody ? OF_BODY : []),
    ...(operation ? INJECTED : []),
  ];
  const statuses = new Map<number, DescribedRefusal>();
  for (const [code, because, own] of reasons) {
    const text = verbatim(because.charAt(0).toUpperCase() + because.slice(1));
    const error = own === undefined ? new GatewayError(code, text) : new HttpRefusal(own, text);
    const { status, body } = toErrorAnswer(error, { language, isProblem, trace });
    const sentence = `\`${code}\`: ${because}`;
    const others = statuses.get(status);
    const description = others ? `${others.description}\n\n${sentence}` : sentence;
    statuses.set(status, {
      status,
      description,
      example: others ? others.example : JSON.parse(body as string),
    });
  }
  return [...statuses.values()].toSorted((one, other) => one.status - other.status);
}

/** The reasons that a body can give. */
const OF_BODY: readonly Reason[] = [
  ["VALIDATION_ERROR", "the body is not JSON, or not a JSON object."],
  ["VALIDATION_ERROR", "the JSON body is larger than 1 MiB.", 413],
  [
    "VALIDATION_ERROR",
    "the body's content type is not application/json in UTF-8, or it is compressed.",
    415,
  ],
];

const INJECTED: readonly Reason[] = TOP_LEVEL_CODES.map((code) => [
  code,
  "a fault, `x-sandbox-fault` or a magic value caused it.",
]);

function only(isPossible: boolean, reason: Reason): readonly Reason[] {
  return isPossible ? [reason] : [];
}
