import assert from "node:assert/strict";
import vm from "node:vm";

interface HttpRequest {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The response handler. */
  readonly script: string;
}

/**
 * Runs a `.http` file as IntelliJ's HTTP client documents it: requests between `###`, file variables, `{{variables}}`,
 * and response handlers with `client.test`, `client.assert` and `client.global`. Refuses everything else.
 * @returns the failures
 */
export async function runHttpFile(text: string, url: string): Promise<string[]> {
  const [head = "", ...parts] = text.split(/^###/m);
  const variables = new Map<string, string>();
  for (const line of head.split("\n")) {
    const [, name = "", value = ""] = /^@(\w+) = (.+)$/.exec(line) ?? [];
    if (name) variables.set(name, value);
    else assert.match(line, /^(?:#.*)?$/);
  }
  variables.set("base", url);
  const replace = (found: string): string =>
    found.replaceAll(/\{\{([^{}]*)\}\}/g, (_all, name: string) => {
      const value = variables.get(name.trim());
      assert(value !== undefined, `unknown variable ${name}`);
      return value;
    });
  const failures: string[] = [];
  for (const part of parts) {
    const request = readRequest(part);
    const target = replace(request.url);
    const response = await fetch(target, {
      method: request.method,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, replace(value)]),
      ),
      ...(request.body !== undefined && { body: replace(request.body) }),
    });
    const client = {
      global: {
        set: (name: string, value: unknown) => {
          assert.equal(typeof value, "string", `${request.name}: ${name}`);
          variables.set(name, String(value));
        },
        get: (name: string) => variables.get(name),
      },
      assert: (condition: boolean, message: string) => assert(condition, message),
      test: (name: string, check: () => void) => {
        try {
          check();
        } catch (error) {
          failures.push(`${request.name} (${name}): ${(error as Error).message}`);
        }
      },
    };
    const body: unknown = await response.json();
    const context = { client, response: { status: response.status, body } };
    vm.runInNewContext(request.script, context);
  }
  return failures;
}

function readRequest(part: string): HttpRequest {
  const lines = part.split("\n");
  const name = (lines.shift() ?? "").trim();
  const [, method = "", url = ""] =
    /^(GET|POST|PUT|PATCH|DELETE) (\S+)$/.exec(lines.shift() ?? "") ?? [];
  assert(method, `${name}: no request line`);
  const headers: Record<string, string> = {};
  let line = lines.shift();
  for (; line; line = lines.shift()) {
    const [, header = "", value = ""] = /^([a-z-]+): (.+)$/.exec(line) ?? [];
    assert(header, `${name}: ${line}`);
    headers[header] = value;
  }
  const rest = lines.join("\n");
  const [, body = "", script = ""] = /^(.*?)\n?> \{%\n(.*)\n%\}\s*$/s.exec(rest) ?? [];
  assert(script, `${name}: no response handler`);
  return { name, method, url, headers, body: body.trim() || undefined, script };
}
