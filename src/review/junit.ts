import { sorted, type WireFinding, type WireReview } from "./report.ts";
import { ruleOf } from "./rules.ts";
import { escapeUnit } from "../text/plain/safe-text.ts";

/**
 * The report as a JUnit file: a test case for each rule. A warning is a case with output, since JUnit has none. A rule
 * that does not count is skipped, with its reason.
 */
export function toJunit({ rules }: Pick<WireReview, "rules">): string {
  const { of, ignored } = sorted(rules);
  const skipped = ignored.length + of("not_seen").length + of("pending").length;
  const totals = `tests="${rules.length}" failures="${of("fail").length}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `<testsuite name="pix-sandbox" ${totals}>`,
    ...rules.map(toCase),
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function toCase({ id, verdict, says, evidence, ignored }: WireFinding): string {
  const open = `<testcase classname="pix-sandbox" name="${ruleOf(id).number} ${id}"`;
  if (ignored !== undefined)
    return `${open}><skipped message="${escapeXml(ignored)}">${escapeXml(says)}</skipped></testcase>`;
  if (verdict === "pass") return `${open}/>`;
  const details = evidence.flatMap((one) => [`${one.at} ${one.says}`, `  ${one.command}`]);
  const text = escapeXml([says, ...details].join("\n"));
  const inner = {
    fail: `<failure message="${escapeXml(says)}">${text}</failure>`,
    warning: `<system-out>${text}</system-out>`,
    pending: `<skipped message="${escapeXml(says)}"/>`,
    not_seen: `<skipped message="${escapeXml(says)}"/>`,
  }[verdict];
  return `${open}>${inner}</testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Characters that XML 1.0 cannot contain are made visible. */
function escapeXml(text: string): string {
  return text
    .replace(/[&<>"\n]/g, (character) => ENTITIES[character] ?? "")
    .replace(FORBIDDEN, escapeUnit);
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;
