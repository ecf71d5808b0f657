import { localize } from "../language.ts";
import { toJson } from "./quote.ts";
import {
  type Call,
  callOf,
  expectedBody,
  type Step,
  type Story,
  type Template,
  Variable,
} from "./story.ts";

/** Writes a story as a test for vitest, which starts a sandbox of its own. */
export function toVitest({ about, notes, steps, integrations }: Story): string {
  const tokens = Array.from({ length: integrations }, (_none, index) =>
    index === 0
      ? '  const token_1 = "sandbox";'
      : `  const token_${index + 1} = "sandbox-${index + 1}";`,
  );
  const callsAll = steps.some(({ integration }) => integration === "all");
  return [
    ...[about, ...notes].map((text) => `// ${localize(text)}`),
    'import { startSandbox } from "pix-sandbox";',
    'import { expect, onTestFinished, test } from "vitest";',
    "",
    `test(${toJson(localize(about))}, { timeout: 120_000 }, async () => {`,
    "  const sandbox = await startSandbox();",
    "  onTestFinished(() => sandbox.close());",
    ...tokens,
    `  const { url: webhook_url } = await sandbox.integration("sandbox").receiver();`,
    "  const send = async (method, path, headers, body) => {",
    "    const init = { method, headers, body: JSON.stringify(body) };",
    "    const response = await sandbox.fetch(path, init);",
    "    return { status: response.status, body: await response.json() };",
    "  };",
    `  // ${localize({ en: "A call of the gateway, and one of a control route.", pt: "Uma chamada do gateway, e uma de uma rota de controle." })}`,
    "  const gateway = (token, method, path, headers, body) =>",
    '    send(method, path, { ...sandbox.headers(token), "content-type": "application/json", ...headers }, body);',
    "  const control = (token, method, path, body) => {",
    '    const headers = { "content-type": "application/json", ...(token && { "x-api-token": token }) };',
    '    return send(method, "/_sandbox" + path, headers, body);',
    "  };",
    ...(callsAll ? ['  const all = "";'] : []),
    "  let answer;",
    ...steps.flatMap((step) => ["", ...writeStep(step)]),
    "});",
  ].join("\n");
}

function writeStep(step: Step): string[] {
  const call = callOf(step);
  const says = `  // ${localize(step.says)}`;
  const { expected, as } = call;
  const written = writeCall(call, step);
  if (expected === "lost") return [says, `  await expect(${written}).rejects.toThrow(TypeError);`];
  const body = expectedBody(expected);
  const wanted = [
    `status: ${expected.status}`,
    ...(body === undefined ? [] : [`body: ${toCode(body)}`]),
  ];
  return [
    says,
    `  answer = await ${written};`,
    `  expect(answer).toMatchObject({ ${wanted.join(", ")} });`,
    ...(as
      ? [`  const ${as.name} = answer.body.${step.kind === "find" ? "data[0].id" : "id"};`]
      : []),
  ];
}

function writeCall(
  { method, path, isGateway, body, key, fault }: Call,
  { integration }: Step,
): string {
  const token = integration === "all" ? "all" : `token_${integration + 1}`;
  const target = path
    .slice(isGateway ? 0 : 1)
    .map((part) => (part instanceof Variable ? `\${${part.name}}` : part))
    .join("");
  const quoted = target.includes("${") ? `\`${target}\`` : toJson(target);
  const headers = {
    ...(key !== undefined && { "x-idempotency-key": key }),
    ...(fault !== undefined && { "x-sandbox-fault": fault }),
  };
  const words = [
    token,
    toJson(method),
    quoted,
    ...(isGateway ? [toCode(headers)] : []),
    ...(body === undefined ? [] : [toCode(body)]),
  ];
  return `${isGateway ? "gateway" : "control"}(${words.join(", ")})`;
}

/** The value as an expression. */
function toCode(value: Template): string {
  if (value instanceof Variable) return value.name;
  if (typeof value !== "object" || value === null) return toJson(value);
  if (Array.isArray(value)) return `[${(value as Template[]).map(toCode).join(", ")}]`;
  const members = Object.entries(value as Record<string, Template>).map(
    ([name, each]) => `${toName(name)}: ${toCode(each)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A computed name for `__proto__`, which otherwise is no member. */
function toName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : toJson(name);
}
