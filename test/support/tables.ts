import type { Acceptance, Refusal, Request } from "./fixtures.ts";

/**
 * The cases of a table: one a line, its columns parted by ` | `; `-` stands for nothing, `#` begins a remark.
 *
 * - The name of the case.
 * - The method and the path. The body begins as the valid request of that route.
 * - What differs, in parts that ` ; ` separates:
 *   - `name: JSON` is a member, `@name: JSON` a header, `no name @name` leaves members and headers out;
 *   - `name = text` is a member at the end, written as it stands, such as `value = 10.50`;
 *   - `given JSON`, `base JSON`, `raw JSON` and so on are those of `Case` and `Request`.
 * - Of a refusal: its status and code, then headers of the answer; in a last column its fields, each with
 *   its code, or those of one code together: `value REQUIRED_VALUE, buyer_cpf buyer_name EMPTY_VALUE`.
 * - Of an acceptance: members of the record.
 *
 * `{a*141}` stands for 141 letters.
 */
export function readTable(text: string): (Refusal | Acceptance)[] {
  const rows = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return rows.map((row) => {
    const [name = "", asked = "", differing = "", outcome = "", fields] = row.split(" | ");
    const [method, path] = asked === "-" ? [] : asked.split(" ");
    const { given, ...differs } = readParts(differing);
    const isWhole = "raw" in differs || "bytes" in differs || "body" in differs;
    const base = isWhole ? undefined : BASES[asked];
    const request = { ...(path && { method, path }), ...(base && { base }), ...differs } as Request;
    const common = { name, ...(given !== undefined && { given }), request };
    if (fields === undefined) return { ...common, record: readParts(outcome).members ?? {} };
    const [, status, code = "", headers = "-"] = /^(\d+) (\w+)(?: ; (.+))?$/.exec(outcome) ?? [];
    const answer = { code, errors: readFields(fields) };
    return { ...common, status: Number(status), ...readParts(headers), answer };
  });
}

/** The request that is valid for a route, a file of `fixtures/requests`. */
const BASES: Readonly<Record<string, string>> = {
  "POST /v1/payins": "payin",
  "POST /v2/payins": "payin",
  "POST /v1/payouts": "payout-cpf",
  "POST /v1/payins/simulations": "payin-simulation",
  "POST /v1/payouts/simulations": "payout-simulation",
  "PUT /v1/webhooks": "webhook-configuration",
};

const WORDS = ["given", "base", "body", "raw", "bytes", "generate", "is_chunked", "socket"];

type Parts = Partial<Request> & { readonly given?: string };

function readParts(text: string): Parts {
  const parts = text === "-" ? [] : text.split(" ; ");
  return parts.reduce((read, part) => ({ ...read, ...readPart(part, read) }), {} as Parts);
}

function readPart(part: string, { members, headers, texts }: Parts): Parts {
  const [, name = "", kind, short = ""] = /^(@?[^\s:]+)(:| =|) (.+)$/.exec(part) ?? [];
  const text = short.replaceAll(/\{([^{}*"]+)\*(\d+)\}/g, (_, unit: string, count) =>
    unit.repeat(Number(count)),
  );
  if (kind === " =") return { texts: { ...texts, [name]: text } };
  if (name === "no") {
    const all = text.split(" ");
    const omitted = all.filter((one) => one.startsWith("@")).map((one) => one.slice(1));
    return { without: all.filter((one) => !one.startsWith("@")), omit_headers: omitted };
  }
  const value: unknown = JSON.parse(text);
  if (name.startsWith("@")) return { headers: { ...headers, [name.slice(1)]: String(value) } };
  if (kind === ":") return { members: { ...members, [name]: value } };
  if (!WORDS.includes(name)) throw new Error(`Nothing is known of ${part}.`);
  return { [name]: value };
}

function readFields(text: string): Refusal["answer"]["errors"] {
  return (text === "-" ? [] : text.split(", ")).flatMap((group) => {
    const words = group.split(" ");
    const code = words.at(-1) ?? "";
    return words.slice(0, -1).map((field) => ({ field, code }));
  });
}
