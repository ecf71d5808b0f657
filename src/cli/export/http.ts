import { localize } from "../language.ts";
import { templateJson } from "./quote.ts";
import {
  type Call,
  callOf,
  type Expected,
  expectedBody,
  type Step,
  type Story,
  type Template,
  Variable,
  WEBHOOK_URL,
} from "./story.ts";

/**
 * Writes a story as a `.http` file, with variables and checks as IntelliJ's HTTP client has them. httpYac reads the
 * same. A client stops at a lost response, so the file sends such calls without the fault.
 */
export function toHttp({ about, notes, steps, integrations }: Story): string {
  const sent = steps.flatMap(withoutLoss);
  const tokens = Array.from(
    { length: integrations },
    (_none, index) =>
      `  client.global.set("token_${index + 1}", "sandbox-" + run${index === 0 ? "" : ` + "-${index + 1}"`});`,
  );
  const isLossy = steps.some((step) => callOf(step).expected === "lost");
  const comments = [about, ...notes, USE, ...(isLossy ? [LOSS] : [])];
  return [
    ...comments.map((text) => `# ${localize(text)}`),
    "@base = http://127.0.0.1:7490",
    "",
    `### 0. ${localize(START)}`,
    "GET {{base}}/_sandbox/health",
    "",
    "> {%",
    "  const run = String(Date.now());",
    '  client.global.set("run", run);',
    ...tokens,
    "%}",
    ...sent.flatMap((step, index) => ["", ...writeStep(step, index + 1)]),
  ].join("\n");
}

const USE = {
  en: "For IntelliJ's HTTP client and httpYac: run all requests in order. Each run uses new idempotency keys and a new integration.",
  pt: "Para o cliente HTTP do IntelliJ e o httpYac: execute todas as requisições em ordem. Cada execução usa novas chaves de idempotência e uma nova integração.",
};
const LOSS = {
  en: "Responses that were lost arrive here, since a client stops at a lost response.",
  pt: "Respostas que se perderam chegam aqui, pois um cliente para em uma resposta perdida.",
};
const START = { en: "Choose the names of this run", pt: "Escolhe os nomes desta execução" };

/** The sandbox's own receiver. */
const SINK = "{{base}}/_sandbox/sink/export";

/** The step without the loss of its response, and so without the step that finds what the response had. */
function withoutLoss(step: Step, index: number, steps: readonly Step[]): Step[] {
  if (step.kind === "find") return [];
  if (!("expected" in step) || step.expected !== "lost") return [step];
  const answered = { ...step, fault: undefined, expected: { status: 200 } };
  const next = steps[index + 1];
  return [
    answered.kind === "create" && next?.kind === "find" ? { ...answered, as: next.as } : answered,
  ];
}

function writeStep(step: Step, number: number): string[] {
  const call = callOf(step);
  const { method, path, isGateway, body, key = `step_${number}`, fault } = call;
  const target = path
    .map((part) => (part instanceof Variable ? `{{${part.name}}}` : part))
    .join("");
  const token = step.integration === "all" ? undefined : `{{token_${step.integration + 1}}}`;
  const headers: readonly (readonly [string, string | undefined])[] = [
    ["content-type", body === undefined ? undefined : "application/json"],
    ["x-api-token", token],
    ...(isGateway
      ? ([
          ["x-provider-id", "sandbox"],
          ["x-provider", "sandbox"],
          ["x-country-code", "BR"],
          ["x-idempotency-key", `{{run}}-${key}`],
        ] as const)
      : []),
    ["x-sandbox-fault", fault],
  ];
  return [
    `### ${number}. ${localize(step.says)}`,
    `${method} {{base}}${target}`,
    ...headers.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
    ...(body === undefined ? [] : ["", httpJson(body)]),
    "",
    "> {%",
    ...writeChecks(call, number),
    "%}",
  ];
}

/** JSON on one line. Braces in a text are no variables. */
function httpJson(body: Template): string {
  return templateJson(
    body,
    ({ name }) => (name === WEBHOOK_URL.name ? `"${SINK}"` : `"{{${name}}}"`),
    // Also between texts: `{"a":{}}` is no variable for these clients, `{{` would be.
    (json) => (json.startsWith('"') ? json.replaceAll("{{", String.raw`\u007b\u007b`) : json),
  );
}

function writeChecks({ expected, as }: Call, number: number): string[] {
  if (expected === "lost") return [];
  const wanted = expectedBody(expected);
  const body = wanted === undefined ? [] : conditions("response.body", wanted);
  return [
    `  client.test("step ${number}", function () {`,
    ...[`response.status === ${(expected satisfies Expected).status}`, ...body].map(
      (condition) => `    client.assert(${condition}, ${JSON.stringify(`expected ${condition}`)});`,
    ),
    "  });",
    ...(as ? [`  client.global.set("${as.name}", response.body.id);`] : []),
  ];
}

/** The conditions under which a value has the wanted members. */
function conditions(place: string, wanted: Template): string[] {
  if (wanted instanceof Variable) return [`${place} === client.global.get("${wanted.name}")`];
  if (typeof wanted !== "object" || wanted === null)
    return [`${place} === ${JSON.stringify(wanted)}`];
  const isList = Array.isArray(wanted);
  const members = Object.entries(wanted as Record<string, Template>).flatMap(([name, each]) =>
    conditions(isList ? `${place}[${name}]` : `${place}.${name}`, each),
  );
  return isList ? [`${place}.length === ${(wanted as Template[]).length}`, ...members] : members;
}
