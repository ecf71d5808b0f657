import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Integration, Payin, Sandbox } from "../../../src/index.ts";
import { freePort, startProcess } from "../../support/process.ts";
import { type Merchant } from "../../support/merchant.ts";

/** Where an agent works: a project with the package, a sandbox that runs, and a shop that receives webhooks. */
export interface Place {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly shop: Integration;
  readonly merchant: Merchant;
}

/** What an agent is asked, and how anyone sees whether it is done. */
export interface Task {
  readonly name: string;
  readonly prompt: string;
  /** What has happened before the agent comes. */
  prepare?(place: Place): Promise<void>;
  /** @returns what is missing; empty if the task is done */
  check(place: Place): Promise<string>;
}

export const TASKS: readonly Task[] = [
  {
    name: "charge",
    prompt:
      'Create a charge of R$ 42.50 with the description "Order 7" in the running sandbox, and write its BR Code to code.txt.',
    async check({ folder, shop }) {
      const [payin] = (await shop.payins.list()).filter(
        ({ description }) => description === "Order 7",
      );
      if (payin?.value !== 42.5) return "There is no such charge.";
      return (await text(folder, "code.txt")) === payin.qrCode ? "" : "code.txt has another code.";
    },
  },
  {
    name: "pay",
    prompt: 'The charge with the description "Order 8" shall be paid.',
    prepare: ({ shop }) => order(shop, "Order 8"),
    check: ({ shop }) => expectStatus(shop, "Order 8", "paid"),
  },
  {
    name: "why not paid",
    prompt:
      'The buyer of "Order 9" has paid, but the shop does not know it. Find out why, and write the HTTP status with which the shop refused to answer.txt.',
    async prepare({ shop, merchant }) {
      merchant.answerWith(409);
      await paidOrder(shop, "Order 9", merchant.url);
    },
    check: ({ folder }) => expectText(folder, "answer.txt", "409"),
  },
  {
    name: "resend",
    prompt:
      'The shop was down when "Order 10" was paid. It is up again: send it that webhook once more.',
    async prepare({ shop, merchant }) {
      merchant.answerWith(500);
      await paidOrder(shop, "Order 10", merchant.url);
      merchant.answerWith(200);
    },
    async check({ shop }) {
      const { id } = await find(shop, "Order 10");
      const [webhook] = await shop.webhooks.list({ transactionId: id });
      return webhook?.status === "delivered" ? "" : `The webhook is ${webhook?.status}.`;
    },
  },
  {
    name: "fault",
    prompt:
      "The next payout that the shop creates, and only that one, shall fail with EXTERNAL_ERROR.",
    async check({ shop }) {
      const failed = await shop.payouts.create().then(
        () => "",
        (error: { code?: string }) => error.code,
      );
      if (failed !== "EXTERNAL_ERROR") return "A payout does not fail so.";
      return shop.payouts.create().then(
        () => "",
        () => "The payout after it fails too.",
      );
    },
  },
  {
    name: "expire",
    prompt: 'Let the charge "Order 11" expire by letting time pass, not by force.',
    prepare: ({ shop }) => order(shop, "Order 11", 600),
    async check({ shop, sandbox }) {
      const missing = await expectStatus(shop, "Order 11", "expired");
      const { expiresAt } = await find(shop, "Order 11");
      const { now } = (await (await sandbox.fetch("/_sandbox/clock")).json()) as { now: string };
      return missing || (now >= expiresAt ? "" : "Time has not passed.");
    },
  },
  {
    name: "broken code",
    prompt:
      "code.txt has a BR Code that no bank reads. Find the field that is wrong, and write its two-digit id to answer.txt.",
    async prepare({ folder, shop }) {
      const { qrCode } = await shop.payins.create();
      await writeFile(path.join(folder, "code.txt"), qrCode.replace("5802BR", "5802US"));
    },
    // The country, or the checksum that no longer fits.
    check: async ({ folder }) =>
      /^(?:58|63)$/.test(await text(folder, "answer.txt")) ? "" : "The field is another one.",
  },
  {
    name: "refused call",
    prompt:
      "The gateway refused the shop's last call. Write the names of the fields that were wrong to answer.txt, one on each line, in alphabetical order.",
    async prepare({ shop }) {
      await shop.payins.create({ value: -1, buyerCpf: "123" }).catch(() => undefined);
    },
    check: ({ folder }) => expectText(folder, "answer.txt", "buyer_cpf\nvalue"),
  },
  {
    name: "handler",
    prompt:
      "Write handler.mjs, a program without packages that listens on $PORT of 127.0.0.1 and receives webhooks at POST /webhooks/pix. It accepts only webhooks whose signature, with the secret in $PIX_SANDBOX_SECRET, is valid, and appends the id of each paid charge to paid.txt, one on each line, each once.",
    async check({ folder, shop, sandbox }) {
      if ((await text(folder, "handler.mjs")) === "") return "There is no handler.mjs.";
      const port = await freePort();
      const env = { PORT: String(port), PIX_SANDBOX_SECRET: sandbox.secret };
      await using running = startProcess(process.execPath, ["handler.mjs"], { cwd: folder, env });
      const webhookUrl = `http://127.0.0.1:${port}/webhooks/pix`;
      if (!(await answers(webhookUrl))) return `handler.mjs does not listen: ${running.stderr}`;
      await shop.faults.once("webhook", "duplicate");
      const payin = await shop.payins.create({ webhookUrl });
      await shop.payins.pay(payin.id);
      await sandbox.settled();
      const body = JSON.stringify({
        id: "evt_1",
        type: "payin.paid",
        data: { id: "forged", status: "paid" },
      });
      const forged = await fetch(webhookUrl, { method: "POST", body });
      if (forged.ok) return "It accepts a forged webhook.";
      return expectText(folder, "paid.txt", payin.id);
    },
  },
  {
    name: "payout once",
    prompt:
      'Write pay.mjs, a program without packages that sends one payout of R$ 30 with the description "Refund 12" (any receiver) through the gateway at $PIX_SANDBOX_BASE_URL with the token in $PIX_SANDBOX_TOKEN. A response can be lost: then nobody may be paid twice, and the payout must exist in the end.',
    async check({ folder, shop, sandbox }) {
      await shop.faults.once("payouts.create", "lost_answer");
      const env = { PIX_SANDBOX_BASE_URL: sandbox.baseUrl, PIX_SANDBOX_TOKEN: "agent" };
      await using program = startProcess(process.execPath, ["pay.mjs"], { cwd: folder, env });
      const { code, stderr } = await program.ended;
      const sent = (await shop.payouts.list()).filter(
        ({ description }) => description === "Refund 12",
      );
      if (code !== 0) return `pay.mjs ended with ${code}: ${stderr}`;
      return sent.length === 1 && sent[0]?.value === 30 ? "" : `There are ${sent.length} payouts.`;
    },
  },
  {
    name: "test",
    prompt:
      "Write shop.test.mjs, a test for node:test that starts a sandbox of its own with the package pix-sandbox, creates a charge, pays it, and asserts that its webhook payin.paid was delivered.",
    async check({ folder }) {
      const source = await text(folder, "shop.test.mjs");
      if (!source.includes("pix-sandbox")) return "It does not use pix-sandbox.";
      await using tests = startProcess(process.execPath, ["--test", "shop.test.mjs"], {
        cwd: folder,
      });
      const { code, stdout } = await tests.ended;
      return code === 0 && /^# pass [1-9]/m.test(stdout) ? "" : "No test passes.";
    },
  },
  {
    name: "review",
    prompt:
      "Ask the sandbox what the shop does wrong, and write the names of the rules that fail to answer.txt, one on each line.",
    async prepare({ sandbox, shop, merchant }) {
      merchant.answerWith({ status: 302, headers: { location: "/elsewhere" } });
      // A call of the shop itself: what tools create is not judged.
      const headers = { ...shop.headers(), "content-type": "application/json" };
      const draft = {
        value: 5,
        buyer_cpf: "12345678909",
        buyer_name: "Ana",
        buyer_email: "ana@example.com",
        webhook_url: merchant.url,
      };
      const answer = await fetch(`${sandbox.baseUrl}/payins`, {
        method: "POST",
        headers,
        body: JSON.stringify(draft),
      });
      const { id } = (await answer.json()) as { id: string };
      await shop.payins.pay(id);
      await shop.settled();
    },
    async check({ folder, shop }) {
      const { rules } = await shop.report();
      const failed = rules.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
      const named = (await text(folder, "answer.txt")).split("\n").toSorted();
      return failed.length > 0 && named.join() === failed.toSorted().join()
        ? ""
        : `It is ${failed.join()}.`;
    },
  },
];

/** A file of the agent, without blanks at its ends; empty if there is none. */
async function text(folder: string, name: string): Promise<string> {
  return (await readFile(path.join(folder, name), "utf8").catch(() => "")).trim();
}

async function expectText(folder: string, name: string, expected: string): Promise<string> {
  const found = await text(folder, name);
  return found === expected ? "" : `${name} has ${JSON.stringify(found)}.`;
}

async function order(
  shop: Integration,
  description: string,
  expiration = 3600,
  webhookUrl?: string,
): Promise<void> {
  await shop.payins.create({
    description,
    expiration,
    ...(webhookUrl !== undefined && { webhookUrl }),
  });
}

async function paidOrder(
  shop: Integration,
  description: string,
  webhookUrl: string,
): Promise<void> {
  await shop.assumptions.change({ "webhook.retries": "none" });
  await order(shop, description, 3600, webhookUrl);
  await shop.payins.pay((await find(shop, description)).id);
  await shop.settled();
}

async function find(shop: Integration, description: string): Promise<Payin> {
  const found = (await shop.payins.list()).find((one) => one.description === description);
  if (!found) throw new Error(`There is no charge ${description}.`);
  return found;
}

async function expectStatus(
  shop: Integration,
  description: string,
  status: string,
): Promise<string> {
  const found = await find(shop, description);
  return found.status === status ? "" : `The charge is ${found.status}.`;
}

/** Whether a server answers in time, whatever it answers. */
async function answers(url: string): Promise<boolean> {
  const until = Date.now() + 5000;
  while (Date.now() < until)
    if (
      await fetch(url, { method: "POST", body: "{}" }).then(
        () => true,
        () => false,
      )
    )
      return true;
  return false;
}
