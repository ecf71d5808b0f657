import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import {
  type CapturedRequest,
  readCapturedRequest,
} from "../../../src/cli/webhooks/captured-request.ts";
import { runMain, type ServingMain, startMain, serveMain } from "../../support/main.ts";
import { createFolder } from "../../support/folder.ts";
import { type Ended, freePort, type RunOptions, startProcess } from "../../support/process.ts";
import { callsTo } from "../../support/calls.ts";
import { type Merchant, type Received, startMerchant, verified } from "../../support/merchant.ts";

const OTHER_SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
/** The headers of a known signature over an empty body, made in October 2025. */
const OLD_HEAD =
  "webhook-id: msg_pix_0002\nwebhook-timestamp: 1760000000\nwebhook-signature: v1,Tm25h6EYC8M5FEWIzz8oNH8KF5qGCKkDew9oOMAACwU=\n";
const OLD_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

let folder: Awaited<ReturnType<typeof createFolder>>;
let merchant: Merchant;
let sandbox: ServingMain;
/** A webhook as it came from the sandbox. */
let received: Received;
let id: string;
let signedAtMs: number;

beforeAll(async () => {
  folder = await createFolder();
  merchant = await startMerchant();
  sandbox = await serveMain();
  const { body } = await callsTo(sandbox.url).createPayin({
    webhook_url: merchant.url,
    buyer_name: "José Ação 😀",
  });
  await callsTo(sandbox.url).simulate("payin", body.id);
  [received] = (await merchant.waitFor(1)) as [Received];
  await callsTo(sandbox.url).advance(0);
  id = received.headers["webhook-id"] ?? "";
  signedAtMs = Number(received.headers["webhook-timestamp"]) * 1000;
}, 60_000);

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await merchant.close();
  await folder[Symbol.asyncDispose]();
});

describe("webhooks verify", { timeout: 60_000 }, () => {
  it("ends with 0 for a valid signature, and prints its time and content", async () => {
    expect(verified(received, sandbox.secret).id).toBe(id);
    const { code, stdout, stderr } = await verify(toHttp(received));

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const signedAt = new Date(signedAtMs).toISOString();
    expect(stdout).toBe(`The signature is valid: payin.paid ${id}, signed at ${signedAt}.\n`);
  });

  it("prints the same as JSON", async () => {
    const { code, stdout, stderr } = await verify(toHttp(received), ["--json"]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      valid: true,
      id,
      type: "payin.paid",
      signed_at: new Date(signedAtMs).toISOString(),
      warnings: [],
    });
  });

  it("ends with 8 for an invalid signature, names the mistake and what to do", async () => {
    const spoilt = toHttp({
      ...received,
      body: JSON.stringify(JSON.parse(received.body), null, 2),
    });
    const { code, stdout, stderr } = await verify(spoilt);

    expect(code).toBe(8);
    expect(stdout).toBe("Not valid: body_changed.\n");
    expect(stderr).toMatch(
      /^error: The signature is correct for other bytes.+\nVerify the bytes.+\n$/,
    );
  });

  it("ends with 8 and prints the mistake and the error as JSON with --json", async () => {
    const { code, stdout, stderr } = await verify(toHttp({ ...received, body: "" }), ["--json"]);

    expect(code).toBe(8);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(result).toEqual({
      valid: false,
      mistake: "empty_body",
      message: expect.stringMatching(/\.$/) as string,
      hint: expect.stringMatching(/\.$/) as string,
    });
    const { message, hint } = result;
    expect(JSON.parse(stderr)).toEqual({ error: { code: "WEBHOOK_NOT_VALID", message, hint } });
    expect([stdout, stderr].map((text) => text.split("\n").length)).toEqual([2, 2]);
  });

  it("uses the current time by default", async () => {
    await callsTo(sandbox.url).control("POST", `/deliveries/${id}/resend`);
    const resent = merchant.received.at(-1) ?? received;
    await writeFile(folder.at("captured"), toHttp(resent));
    const args = ["webhooks", "verify", folder.at("captured"), "--secret", sandbox.secret];
    expect(await runMain(args)).toMatchObject({ code: 0, stderr: "" });
    await writeFile(folder.at("captured"), `${OLD_HEAD}\n`);
    expect(await runMain([...args, "--secret", OLD_SECRET])).toMatchObject({
      code: 8,
      stdout: "Not valid: stale_timestamp.\n",
    });
  });

  it("shows what a captured request holds with its control characters visible", async () => {
    const headers = { ...received.headers, "webhook-timestamp": "\u001b[2J\u009b1m" };
    const hostile = JSON.stringify({ headers, body: received.body });
    for (const args of [[], ["--json"]]) {
      const { code, stdout, stderr } = await verify(hostile, args);
      expect(code).toBe(8);
      expect(stderr).toContain("[2J");
      // oxlint-disable-next-line no-control-regex -- these are what must not be there.
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    }
  });
});

describe("a captured request", { timeout: 60_000 }, () => {
  it.each<[string, (received: Received) => string]>([
    ["with CRLF", (one) => toHttp(one)],
    ["with LF", (one) => toHttp(one, { newline: "\n" })],
    ["without its request line", (one) => toHttp(one, { requestLine: "" })],
    ["with names in any case", (one) => toHttp(one, { toName: (name) => name.toUpperCase() })],
    ["with blank lines before it", (one) => `\r\n\n${toHttp(one)}`],
    ["behind a byte order mark", (one) => `\ufeff${toHttp(one)}`],
    ["as JSON", ({ headers, body }) => JSON.stringify({ headers, body })],
    [
      "as JSON over several lines",
      ({ headers, body }) => `\n${JSON.stringify({ status: 200, body, headers }, null, 2)}\n`,
    ],
    [
      "as JSON with several values a header",
      ({ headers, body }) => JSON.stringify({ headers: toLists(headers), body }),
    ],
  ])("is read %s", async (_title, write) => {
    const { headers, body, isParsed } = await read(write(received));
    expect(headers).toMatchObject(received.headers);
    expect({ body: body.toString(), isParsed }).toEqual({ body: received.body, isParsed: false });
  });

  it("is read with every value of a header that a log stores as a list", async () => {
    const headers = { A: ["1", "2"], b: 3, c: null, d: { toString: 4 } };
    expect(await read(JSON.stringify({ headers, body: "x" }))).toEqual({
      headers: { a: "1, 2", b: "3", d: '{"toString":4}' },
      body: Buffer.from("x"),
      isParsed: false,
    });
  });

  it("is read byte by byte, even if it is not text", async () => {
    const body = Buffer.from([0xff, 0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0xc3, 0x3a, 0xa9]);
    const bytes = Buffer.concat([Buffer.from("a: 1\r\nb : 2 \r\nA: 3\r\n\r\n"), body]);
    const stdin = { isTTY: false, [Symbol.asyncIterator]: () => oneByOne(bytes) };
    expect(
      await readCapturedRequest(undefined, {
        stdin,
        cwd: process.cwd(),
      }),
    ).toEqual({
      headers: { a: "1, 3", b: "2" },
      body,
      isParsed: false,
    });
  });

  it("is read to its last byte, even if the body looks like headers", async () => {
    const args = ["--secret", OLD_SECRET, "--at", new Date(1_760_000_000_000).toISOString()];
    const withBody = (body: string): Promise<Ended> => verify(OLD_HEAD + body, args);

    expect(await withBody("")).toMatchObject({ code: 0 });
    expect(await withBody("\n")).toMatchObject({ code: 0 });
    expect(await withBody("\n\n")).toMatchObject({
      code: 8,
      stdout: "Not valid: body_changed.\n",
    });
    expect(await withBody("\nx: y\n\nz")).toMatchObject({
      code: 8,
      stdout: "Not valid: wrong_secret.\n",
    });
  });

  it("is what webhooks show --json prints, of its last attempt", async () => {
    await callsTo(sandbox.url).control("POST", `/deliveries/${id}/resend`);
    const { stdout } = await runMain(["webhooks", "show", id, "--json", "--url", sandbox.url]);
    const { attempts } = JSON.parse(stdout) as {
      attempts: { at: string; headers: Record<string, string> }[];
    };
    const [first, last] = [attempts.at(0), attempts.at(-1)];
    expect(last).not.toBe(first);

    const args = ["--at", last?.at ?? ""];
    expect(await verify(stdout, args)).toMatchObject({ code: 0, stderr: "" });
    const spoilt = JSON.parse(stdout) as { attempts: object[] };
    spoilt.attempts = [last ?? {}, { ...first, headers: {} }];
    expect(await verify(JSON.stringify(spoilt))).toMatchObject({
      code: 8,
      stdout: "Not valid: missing_header.\n",
    });
  });

  it("is a line of webhooks tail --json, with its attempt", async () => {
    await using tail = startMain(["webhooks", "tail", "--json", "--url", sandbox.url]);
    await tail.lines("stderr", 1);
    await runMain(["webhooks", "resend", "last", "--url", sandbox.url]);
    const [line = ""] = await tail.lines("stdout", 1);
    await tail.stop();
    expect(await verify(line)).toMatchObject({ code: 0, stderr: "" });

    const event = JSON.parse(line) as { attempt: object };
    const spoilt = JSON.stringify({ ...event, attempt: { ...event.attempt, headers: {} } });
    expect(await verify(spoilt)).toMatchObject({
      code: 8,
      stdout: "Not valid: missing_header.\n",
    });
  });

  it("is a log without the body's own bytes: that is the mistake", async () => {
    const { headers } = received;
    const body = JSON.parse(received.body) as unknown;
    expect(await verify(JSON.stringify({ headers, body }))).toMatchObject({
      code: 8,
      stdout: "Not valid: body_changed.\n",
    });
    for (const without of [{ headers }, { headers, body: null }])
      expect(await verify(JSON.stringify(without))).toMatchObject({
        code: 8,
        stdout: "Not valid: empty_body.\n",
      });
  });

  it.each(["", " -"])("is piped in with nothing or - named:%j", async (argument) => {
    await writeFile(folder.at("piped.http"), toHttp(received));
    const { code, stderr } = await runShell(
      `"$NODE" "$BIN" webhooks verify${argument} --tolerance 1d < "$FILE"`,
      folder.at("piped.http"),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("is required if stdin is a terminal", async () => {
    const terminal = { isTTY: true, [Symbol.asyncIterator]: () => expect.unreachable() };
    await expect(
      readCapturedRequest(undefined, {
        stdin: terminal,
        cwd: process.cwd(),
      }),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("pipe it in") as string,
      hint: expect.stringContaining("npx pix-sandbox webhooks verify captured.http") as string,
    });
  });

  it("is read from a file also on a terminal", async () => {
    await writeFile(folder.at("on-terminal.http"), "webhook-id: evt_1\n\n{}");
    const terminal = { isTTY: true, [Symbol.asyncIterator]: () => expect.unreachable() };
    const io = { stdin: terminal, cwd: folder.path };
    expect(await readCapturedRequest("on-terminal.http", io)).toMatchObject({
      headers: { "webhook-id": "evt_1" },
    });
  });

  it.each([
    ["nothing", "", /empty/],
    ["blanks", " \r\n\n", /empty/],
    ["only a body", '{"id":"evt_1","type":"payin.paid"}', /no headers/],
    ["something else", "Good morning\n\n{}", /invalid header line: "Good morning"/],
    ["several lines of JSON", '{"headers":{}}\n{"headers":{}}\n', /is not valid JSON/],
    ["half of some JSON", '{"headers":{"webhook-id"', /is not valid JSON/],
    [
      "a value in 20,000 others",
      `{"headers":{"webhook-id":"evt_1"},"body":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
      /nested more than 100 levels deep/,
    ],
    ["invalid headers", '{"headers":"webhook-id: evt_1","body":""}', /no headers/],
    ["a webhook that waits", '{"id":"evt_1","body":"{}","attempts":[]}', /not been sent yet/],
  ])("is none: %s", async (_title, text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(/./) as string,
    });
  });
});

describe("webhooks verify's options", { timeout: 60_000 }, () => {
  it.each([
    ["a file that is not there", ["absent.http"], /absent\.http cannot be read/],
    ["an invalid time", ["a.http", "--at", "noon"], /Invalid --at "noon"/],
    ["an invalid tolerance", ["a.http", "--tolerance", "long"], /Invalid duration "long"/],
  ])("refuse %s", async (_title, args, message) => {
    const { code, stdout, stderr } = await runMain(["webhooks", "verify", ...args], {
      cwd: folder.path,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  it("take the secret from the surroundings, and need no sandbox then", async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const env = { PIX_SANDBOX_SECRET: sandbox.secret, PIX_SANDBOX_URL: nobody };
    expect(await verify(toHttp(received), [], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(await verify(toHttp(received), ["--secret", OTHER_SECRET], { env })).toMatchObject({
      code: 8,
    });
  });

  it("need a secret if none is given and no sandbox responds", async () => {
    const env = { PIX_SANDBOX_URL: `http://127.0.0.1:${await freePort()}` };
    const { code, stdout, stderr } = await verify(toHttp(received), [], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("--secret whsec_");
  });

  it.each(["", " ", "whsec_", "whsec_not-base64!"])(
    "refuse the secret %j as check-webhook does, whether given as a flag or a variable",
    async (secret) => {
      for (const command of [
        ["webhooks", "verify", folder.at("captured")],
        ["check-webhook", sandbox.url],
      ]) {
        const flag = await runMain([...command, "--secret", secret]);
        const variable = await runMain(command, { env: { PIX_SANDBOX_SECRET: secret } });
        // An empty variable is an unset one.
        if (secret !== "") expect(variable).toEqual(flag);
        expect(flag).toMatchObject({ code: 2, stdout: "" });
        expect(flag.stderr).toMatch(/^error: Invalid secret\.\nA secret is whsec_ and base64, or/);
        expect(flag.stderr).not.toContain("not-base64");
      }
    },
  );
});

/** Reads a capture that lies in a file. */
async function read(text: string): Promise<CapturedRequest> {
  await writeFile(folder.at("captured"), text);
  return readCapturedRequest(folder.at("captured"), {
    stdin: process.stdin,
    cwd: process.cwd(),
  });
}

async function* oneByOne(bytes: Buffer): AsyncGenerator<Buffer> {
  for (const byte of bytes) yield Buffer.of(byte);
}

/** Verifies a capture that lies in a file, with the secret of the running sandbox and as if it had just come. */
async function verify(
  text: string,
  args: readonly string[] = [],
  options: RunOptions = { env: { PIX_SANDBOX_URL: sandbox.url } },
): Promise<Ended> {
  await writeFile(folder.at("captured"), text);
  const at = new Date(signedAtMs).toISOString();
  return runMain(["webhooks", "verify", folder.at("captured"), "--at", at, ...args], options);
}

/** Runs a line of a shell, as people put commands together. */
async function runShell(line: string, file: string): Promise<Ended> {
  const env = { NODE: process.execPath, BIN, FILE: file, PIX_SANDBOX_URL: sandbox.url };
  await using shell = startProcess("sh", ["-c", line], { env });
  return await shell.ended;
}

function toHttp(
  { method, path, headers, body }: Received,
  {
    newline = "\r\n",
    requestLine = `${method} ${path} HTTP/1.1`,
    toName = same,
  }: { newline?: string; requestLine?: string; toName?: (name: string) => string } = {},
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${toName(name)}: ${value}`);
  const first = requestLine === "" ? [] : [requestLine];
  return [...first, ...lines, "", body].join(newline);
}

function toLists(headers: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

function same(text: string): string {
  return text;
}
