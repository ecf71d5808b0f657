import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Page, type Stage, startStage } from "../support/documents.ts";
import { type RunningMain, serveMain, startMain } from "../support/main.ts";
import { freePort } from "../support/process.ts";

// The page shows what a container prints.
vi.mock(import("../../src/platform/folders.ts"), async (original) => ({
  ...(await original()),
  isInContainer: () => true,
}));

const pages = [
  { name: "docs/troubleshooting.md", lang: "en" },
  { name: "docs/pt-BR/troubleshooting.md", lang: "pt-BR" },
];

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterEach(async () => {
  stage.merchant.answerWith(200);
  await stage.sandbox.reset();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.each(pages)("$name", async ({ name, lang }) => {
  const page = await Page.read(name);
  const commands = ["ready", "check-webhook", "webhooks list", "serve --port", "decode"];
  const [ready = "", check = "", list = "", serve = "", pay = ""] = commands.map((text) =>
    page.take("sh", text),
  );
  /** What the program prints, in the order of the page. */
  const shown = Array.from({ length: 10 }, () => page.take("text"));

  const start = (...args: string[]): RunningMain =>
    startMain([...args, "--lang", lang], {
      env: { PIX_SANDBOX_URL: stage.sandbox.url },
      cwd: stage.at("."),
    });
  const outputOf = async ({ ended }: RunningMain): Promise<string> => {
    const { stdout, stderr } = await ended;
    return withoutChance(stdout + stderr);
  };
  const triggered = (url: string): Promise<string> =>
    outputOf(start("trigger", "payin.paid", "--webhook-url", url));

  it("has no block that is not run", () => expect(page.untaken).toEqual([]));

  it("shows what a handler causes that refuses a signature", async () => {
    stage.merchant.answerWith(401);
    expect(await triggered(stage.merchant.at("/hook"))).toContain(withoutChance(shown[0] ?? ""));
    expect(await stage.shell(check)).toMatchObject({ code: 8 });
  });

  it("shows what a handler causes that does not run", async () => {
    const output = await triggered(`http://127.0.0.1:${await freePort()}/hook`);
    expect(output).toContain(withoutChance(shown[1] ?? ""));
    expect(output).toContain(shown[2]);
    expect((await stage.shell(list)).stdout).toMatch(/ECONNREFUSED/);
  });

  it("shows what serve prints that cannot use its port or its state", async () => {
    const folder = `${lang}-state`;
    await mkdir(stage.at(folder));
    const state = `${folder}/.pix-sandbox/state.json`;
    const { port } = stage.sandbox;
    const busyPort = start("serve", "--memory", "--port", String(port));
    expect(await outputOf(busyPort)).toContain(withoutChance(shown[3] ?? ""));

    const serving = await serveMain(["--state", state, "--lang", lang], { cwd: stage.at(".") });
    const busyState = start("serve", "--port", "0", "--state", state);
    expect(await outputOf(busyState)).toContain(withoutChance(shown[4] ?? ""));
    await serving.stop();

    await writeFile(stage.at(state), '{"format":"pix-sandbox","version":1}');
    const otherVersion = start("serve", "--port", "0", "--state", state);
    expect(await outputOf(otherVersion)).toContain(withoutChance(shown[5] ?? ""));
  });

  it("shows the responses to a repeated key and to a page", async () => {
    const create = (value: number, headers: Record<string, string> = {}): Promise<string> =>
      stage.sandbox
        .fetch("/v1/payins", {
          method: "POST",
          headers: { ...stage.sandbox.headers(), "x-idempotency-key": "order-1", ...headers },
          body: JSON.stringify({ ...BUYER, value }),
        })
        .then((response) => response.text());
    expect(await create(10.5)).toContain("qr_code");
    expect(await create(11)).toContain(shown[6]);
    expect(await create(11, { origin: "http://localhost:5173" })).toContain(shown[7]);
  });

  it("shows what a wait prints, and a clock", async () => {
    const wait = start("wait", "payout.completed", "--timeout", "300ms");
    expect(await outputOf(wait)).toContain(shown[8]);
    await stage.sandbox.clock.advance("1h");
    expect(await outputOf(start("clock"))).toContain(withoutChance(shown[9] ?? ""));
  });

  it("shows commands that work", async () => {
    expect(await stage.run(ready)).toMatchObject({ code: 0 });
    await stage.sandbox.payins.create();
    expect(await stage.run(pay)).toMatchObject({ code: 0 });
    const port = String(await freePort());
    const [first = "", second = ""] = serve.replaceAll("7491", port).split("\n");
    await using serving = stage.start(`exec ${first} --memory`);
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    const { stdout } = await stage.shell(`${second}\nnpx pix-sandbox ready`);
    expect(stdout).toContain(port);
  });
});

const BUYER = {
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
  webhook_url: "http://127.0.0.1:9/hook",
};

/** A text with a word in place of each part that differs between runs. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, "ADDRESS")
    .replaceAll(/\S+state\.json/g, "STATE")
    .replaceAll(/(?<=(?:process id|PID) )\d+/g, "ID")
    .replaceAll(/(?<=[Pp]ort[a]? )\d+/g, "PORT")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}
