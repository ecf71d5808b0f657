import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { inLanguage, localize } from "../../src/cli/terminal/language.ts";
import { COUNTED, LABELS } from "../../src/review/labels.ts";
import { Page, type Stage, startStage } from "../support/documents.ts";
import { type Ended, freePort, type Program } from "../support/process.ts";
import { lacks } from "../support/lacks.ts";

interface ShownOrder {
  readonly payin: string;
  readonly status: string;
  readonly credited: number;
}

const english = readSteps(await Page.read("docs/first-day.md"));
const portuguese = readSteps(await Page.read("docs/pt-BR/first-day.md"));

describe("docs/first-day.md", () => {
  it("installs what the README installs", async () => {
    const readme = await Page.read("README.md");
    const [pack = "", install = ""] = readme.take("sh", "npm pack").split("\n");
    const lines = english.install.split("\n");
    expect(lines).toEqual([
      "mkdir my-shop",
      "cd my-shop",
      "npm init -y",
      pack,
      install,
      "npm install standardwebhooks",
    ]);
  });

  it("shows the lines that the program prints, in Portuguese too", () => {
    expect(portuguese.reviews).toEqual(english.reviews.map(inPortuguese));
  });

  it.each([english, portuguese])("has no block that is not run: $page.name", ({ page }) => {
    expect(page.untaken).toEqual([]);
  });
});

/** The steps in their order: each continues where the one before it stopped. */
describe.skipIf(lacks("curl"))("the steps of docs/first-day.md", { timeout: 120_000 }, () => {
  let stage: Stage;
  let ports: Readonly<Record<string, string>>;
  let sandbox: Program;
  let shop: Program;
  let source = "";

  beforeAll(async () => {
    stage = await startStage();
    ports = { 7490: String(await freePort()), 3000: String(await freePort()) };
    sandbox = await startSandboxOfPage();
  });
  afterAll(async () => {
    await shop?.[Symbol.asyncDispose]();
    await sandbox?.[Symbol.asyncDispose]();
    await stage?.[Symbol.asyncDispose]();
  });

  const located = (text: string): string => text.replaceAll(/7490|3000/g, (port) => ports[port]!);
  const withAddress = (block: string): string =>
    `export PIX_SANDBOX_URL=${located("http://127.0.0.1:7490")}\n${located(block)}`;
  const shell = (block: string, id?: string): Promise<Ended> => stage.shell(withAddress(block), id);
  const startSandboxOfPage = async (): Promise<Program> => {
    const serving = stage.start(located(`exec ${english.serve} --port 7490`));
    await serving.lines("stderr", 1, (line) => line.startsWith("Ready"));
    return serving;
  };
  const restartShop = async (command: string): Promise<void> => {
    await shop?.stop();
    await stage.write("shop.mjs", located(source));
    shop = stage.start(withAddress(`exec env ${command}`));
    await shop.lines("stdout", 1, (line) => line === "The shop is open.");
  };
  const buy = async (): Promise<ShownOrder> =>
    JSON.parse((await shell(english.buy)).stdout) as ShownOrder;
  const orderOf = async (payin: string): Promise<ShownOrder> =>
    JSON.parse((await shell(english.look, payin)).stdout) as ShownOrder;
  const lastCharge = async (): Promise<string> =>
    /[0-9a-f-]{36}/.exec((await shell("npx pix-sandbox payin show last")).stdout)?.[0] ?? "";
  const reviewOf = async (command: string): Promise<string> => {
    const { stdout } = await shell(command);
    return stdout.split("\n").find((line) => line.startsWith("Integration review:")) ?? stdout;
  };

  it("2. sells", async () => {
    source = english.shop;
    await restartShop(english.start);
    const { payin } = await buy();
    expect(await shell(english.pay)).toMatchObject({ code: 0 });
    await vi.waitFor(async () =>
      expect(await orderOf(payin)).toMatchObject({ status: "paid", credited: 10.5 }),
    );
  });

  it("3. shows what is wrong", async () => {
    expect(await reviewOf(english.check)).toBe(english.reviews[0]);
  });

  it("4. verifies the signature", async () => {
    source = edited(source, english.edits[0] ?? "");
    await restartShop(english.startWithSecret);
    expect(await reviewOf(english.check)).toBe(english.reviews[1]);
  });

  it("5. credits once", async () => {
    source = edited(source, english.edits[1] ?? "");
    await restartShop(english.startWithSecret);
    expect(await reviewOf(english.check)).toBe(english.reviews[2]);
  });

  it("6. survives lost responses and restarts", async () => {
    const { stdout } = await shell(english.lose);
    expect(stdout).toMatch(/^\{\}$/m); // the shop's response
    const lost = await lastCharge();
    expect(stdout).toContain(lost);

    source = edited(source, english.edits[2] ?? "");
    await restartShop(english.startWithSecret);
    const repeated = await shell(english.lose);
    const order = JSON.parse(/^\{"id".*$/m.exec(repeated.stdout)?.[0] ?? "{}") as ShownOrder;
    expect(order.payin).toBe(await lastCharge());
    expect(order.payin).not.toBe(lost);

    await shop.stop();
    await shell(english.pay);
    await restartShop(english.startWithSecret);
    await vi.waitFor(
      async () => expect(await orderOf(order.payin)).toMatchObject({ status: "paid" }),
      { timeout: 40_000, interval: 500 },
    );
    expect(await shell("npx pix-sandbox webhooks resend last")).toMatchObject({ code: 0 });
    expect(await orderOf(order.payin)).toMatchObject({ credited: 10.5 });
  });

  it("7. passes", async () => {
    await sandbox.stop();
    sandbox = await startSandboxOfPage();
    expect(await reviewOf(english.check)).toBe(english.reviews[3]);
    expect(await reviewOf(english.report)).toBe(english.reviews[4]);
    expect(source.split("\n").length).toBeLessThan(110);
  });
});

/** The blocks of a page, by what they are for. */
function readSteps(page: Page) {
  const install = page.take("sh", "npm pack");
  const serve = page.take("sh", "serve");
  const shop = page.take("js", "// shop.mjs");
  const start = page.take("sh", "node shop.mjs");
  const [buy = "", pay = "", look = ""] = page.take("sh", "pay last").split("\n");
  const check = page.take("sh", "check-webhook");
  const edits = ["const webhook", "payin.paid", "function save"].map((text) =>
    page.take("js", text),
  );
  const startWithSecret = page.take("sh", "PIX_SANDBOX_SECRET");
  const lose = page.take("sh", "lost_answer");
  expect(page.take("sh", "pay last")).toBe(pay);
  const report = page.take("sh", "report");
  const reviews = Array.from({ length: 5 }, () => page.take("text"));
  return {
    page,
    install,
    serve,
    shop,
    start,
    buy,
    pay,
    look,
    check,
    edits,
    startWithSecret,
    lose,
    report,
    reviews,
  };
}

/** A program with the changes of a block: imports, constants and functions are added, or replaced by their name. */
function edited(program: string, block: string): string {
  let result = program;
  for (const part of block.split(/\n\n(?=\S)/)) {
    const [, name = ""] = /^(?:async )?function (\w+)/.exec(part) ?? [];
    const [, constant = ""] = /^const (\w+)/.exec(part) ?? [];
    const known = name
      ? new RegExp(`^(?:async )?function ${name}\\([^]*?^}$`, "m")
      : new RegExp(`^const ${constant} = .*$`, "m");
    if (part.startsWith("import ")) result = result.replace(/^import /m, `${part}\nimport `);
    else if (known.test(result)) result = result.replace(known, () => part);
    else if (constant) result = result.replace(/^const orders/m, () => `${part}\nconst orders`);
    else result = `${result}\n\n${part}`;
  }
  return result;
}

/** The first line of a review as `--lang pt-BR` prints it. */
function inPortuguese(line: string): string {
  const [fail, warning, pass, notSeen] = (line.match(/\d+/g) ?? []).map(Number);
  const counts = { fail, warning, pass, not_seen: notSeen };
  return inLanguage("pt-BR", () => {
    const texts = Object.entries(counts).map(([verdict, count = 0]) =>
      localize(COUNTED[verdict as keyof typeof counts](count)),
    );
    return `${localize(LABELS.title)}: ${texts.join(", ")}`;
  });
}
