import type { AssumptionChanges } from "../../core/assumptions/table.ts";
import type { Difference, Drift } from "../../fidelity/drift.ts";
import { membersOf, shapeOf } from "../../fidelity/exchange.ts";
import type { Recording } from "../../fidelity/recording.ts";
import { type Message, say } from "../../text/message.ts";
import { toSafeLine } from "../../text/plain/safe-text.ts";
import { toIso } from "../../wire/timestamp.ts";
import { VERSION } from "../../wire/names.ts";
import type { Io } from "../terminal/io.ts";
import { localize } from "../terminal/language.ts";
import { foldText, renderTable, type Table } from "../terminal/table.ts";

const DAY_MS = 86_400_000;
const OLD_DAYS = 90;

/** How old a recording is, in whole days. */
export function ageDays({ atMs }: Recording, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - atMs) / DAY_MS));
}

/** The document of `--json`, in English. Values of members stay in the recording: only their shapes are shown. */
export function driftDocument(recording: Recording, { counts, differences }: Drift, days: number) {
  const { atMs, calls, webhooks } = recording;
  return {
    recorded_at: toIso(atMs),
    age_days: days,
    is_old: days > OLD_DAYS,
    calls: calls.length,
    webhooks: webhooks.length,
    counts,
    differences: differences.map((one) => ({
      call: one.call + 1,
      webhook: one.webhook === 0 ? null : one.webhook,
      operation: operationOf(one, recording),
      member: one.path,
      grade: one.grade,
      recorded: shapeIn(one, "actual"),
      sandbox: shapeIn(one, "predicted"),
      mended_by: pairs(one.mends),
    })),
    issue: issueOf(recording, differences),
  };
}

export function renderDrift(
  recording: Recording,
  { counts, differences }: Drift,
  days: number,
  io: Io,
): string {
  const { atMs, calls, webhooks } = recording;
  const day = toIso(atMs).slice(0, 10);
  const issue = issueOf(recording, differences);
  const parts: (string | Message)[] = [
    say`${calls.length} calls and ${webhooks.length} webhooks, recorded on ${day}, ${days} days ago.`,
    ...(days > OLD_DAYS
      ? [say`The recording is old: the gateway may have changed. Record it again.`]
      : []),
    ...(differences.length > 0 ? [renderTable(tableOf(recording), differences, io)] : []),
    say`Members: ${counts.equal} equal, ${counts.equal_in_shape} equal in shape, ${counts.different} different, ${counts.missing} missing.`,
    ...(issue === null
      ? []
      : [say`No choice describes some of it. An issue to file, without private values:`, issue]),
  ];
  const text = (part: string | Message): string =>
    typeof part === "string" ? part : foldText(localize(part), io.columns);
  return parts.map(text).join("\n\n");
}

function tableOf(recording: Recording): Table<Difference> {
  return {
    none: say`No difference.`,
    columns: [
      { title: say`CALL`, text: (one) => operationOf(one, recording), wraps: true, least: 19 },
      { title: say`MEMBER`, text: ({ path }) => toSafeLine(path), least: 12 },
      {
        title: say`RECORDED`,
        text: (one) => inWords(shapeIn(one, "actual")),
        wraps: true,
        least: 10,
      },
      {
        title: say`SANDBOX`,
        text: (one) => inWords(shapeIn(one, "predicted")),
        wraps: true,
        least: 10,
      },
      {
        title: say`MENDED BY`,
        text: ({ mends }) => pairs(mends).join(" ") || localize(say`no choice`),
        isFailure: ({ mends }) => pairs(mends).length === 0,
        wraps: true,
        least: 20,
      },
    ],
  };
}

function operationOf({ call, webhook }: Difference, { calls }: Recording): string {
  const { method = "", path = "" } = calls[call] ?? {};
  const end = webhook === 0 ? "" : ` → webhook ${webhook}`;
  return `${call + 1} ${toSafeLine(method)} ${operationPath(path)}${end}`;
}

/** Only the documented paths are shown. */
function operationPath(path: string): string {
  return /^\/v\d+\/(?:payins|payouts)(?:\/simulations)?$/.test(path) ? path : "…";
}

function shapeIn({ path, grade, webhook, ...values }: Difference, side: "actual" | "predicted") {
  const value = values[side];
  if (value === undefined && grade === "missing") return "–";
  if (path === "" && webhook > 0) return "webhook";
  return toSafeLine(shown(path, value));
}

/** A value's shape. Codes and statuses are shown if they are words, and numbers of the protocol. */
function shown(path: string, value: unknown): string {
  if (typeof value === "number") return /^http |id of call/.test(path) ? String(value) : "number";
  if (typeof value === "string" && path.startsWith("http ")) return value || "–";
  const shape = shapeOf(path, value);
  return shape.startsWith('"') && !/^"\w{1,40}"$/.test(shape) ? "text" : shape;
}

/** The shapes that are words. */
const SHAPES: Readonly<Record<string, Message>> = {
  text: say.for("shape")`text`,
  number: say.for("shape")`number`,
  time: say.for("shape")`time`,
  "a text in en": say`a text in English`,
  "a text in pt": say`a text in Portuguese`,
  "a text in ?": say`a text in an unknown language`,
};

function inWords(shape: string): string {
  const words = Object.hasOwn(SHAPES, shape) ? SHAPES[shape] : undefined;
  return words ? localize(words) : shape;
}

function pairs(mends: AssumptionChanges): string[] {
  return Object.entries(mends).map(([row, choice]) => `${row}=${choice}`);
}

/** What no choice mends, as an issue in English and Markdown. It has names and shapes, no values of its members. */
function issueOf(recording: Recording, differences: readonly Difference[]): string | null {
  const open = differences.filter(({ mends }) => Object.keys(mends).length === 0);
  if (open.length === 0) return null;
  const { calls } = recording;
  const sections = [...new Set(open.map(({ call }) => call))].map((call) => {
    const own = open.filter((one) => one.call === call);
    const rows = [...new Set(own.flatMap(({ dependsOn }) => dependsOn))];
    const { body = "", response } = calls[call] ?? {};
    const sent = [...membersOf(body)].map(
      ([path, value]) => `\`${safe(path)}\` ${shown(path, value)}`,
    );
    return [
      `## ${operationOf(own[0] as Difference, recording)}: ${response?.status}`,
      `Sent: ${sent.join(", ") || "–"}.`,
      ...own.map(
        (one) =>
          `- ${one.webhook === 0 ? "" : `webhook ${one.webhook}: `}\`${safe(one.path)}\`: recorded ${shapeIn(one, "actual")}, sandbox ${shapeIn(one, "predicted")}`,
      ),
      `Assumptions that it depends on: ${rows.join(", ") || "none: the specification shows it"}.`,
    ].join("\n");
  });
  const day = toIso(recording.atMs).slice(0, 10);
  return [
    "# A gateway does what no choice describes",
    `pix-sandbox ${VERSION}, recorded on ${day}.`,
    ...sections,
  ].join("\n\n");
}

/** The name of a member comes from outside: an unusual one may say more than a name. */
function safe(path: string): string {
  return /^[\w. -]{1,80}$/.test(path) ? path : "…";
}
