// Plays an agent that has read AGENTS.md: for each task what it would run and write. It knows the prompt only.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const prompt = readFileSync("TASK.md", "utf8");
const run = (...args) =>
  execFileSync("npx", ["--no-install", "pix-sandbox", ...args], { encoding: "utf8" });
const json = (...args) => JSON.parse(run(...args, "--json"));
const write = (file, text) => writeFileSync(file, `${text}\n`);
const named = /"(Order \d+)"/.exec(prompt)?.[1];
const payinOf = (description) =>
  json("payin", "list").data.find((one) => one.description === description).id;
const webhookOf = (description) => {
  const id = payinOf(description);
  return json("webhooks", "list").data.find((one) => one.transaction_id === id);
};

const HANDLER = `import { createServer } from "node:http";
import { createHmac, timingSafeEqual } from "node:crypto";
import { appendFileSync } from "node:fs";
const key = Buffer.from(process.env.PIX_SANDBOX_SECRET.replace("whsec_", ""), "base64");
const seen = new Set();
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = request.headers;
  const right = createHmac("sha256", key).update(\`\${id}.\${at}.\`).update(body).digest();
  const isGenuine =
    Math.abs(Date.now() / 1000 - Number(at)) < 300 &&
    signatures.split(" ").some((one) => {
      const given = Buffer.from(one.replace("v1,", ""), "base64");
      return given.length === right.length && timingSafeEqual(given, right);
    });
  if (!isGenuine) return response.writeHead(401).end();
  const { type, data } = JSON.parse(body);
  if (type === "payin.paid" && !seen.has(data.id)) {
    seen.add(data.id);
    appendFileSync("paid.txt", data.id + "\\n");
  }
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const PAY = `import { randomUUID } from "node:crypto";
const headers = {
  "content-type": "application/json",
  "x-api-token": process.env.PIX_SANDBOX_TOKEN,
  "x-provider-id": "shop",
  "x-provider": "shop",
  "x-country-code": "BR",
  "x-idempotency-key": randomUUID(), // the same for each attempt
};
const body = JSON.stringify({
  value: 30, description: "Refund 12", receiver_cpf: "12345678909", receiver_name: "Ana",
  receiver_email: "ana@example.com", pix_key: "12345678909", pix_key_type: "cpf",
  webhook_url: "http://127.0.0.1:9/webhooks/pix",
});
for (let attempt = 1; ; attempt++) {
  try {
    const response = await fetch(process.env.PIX_SANDBOX_BASE_URL + "/payouts", { method: "POST", headers, body });
    if (response.ok) break;
    if (response.status < 500 || attempt === 5) throw new Error(await response.text());
  } catch (error) {
    if (attempt === 5) throw error;
  }
}
`;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { startSandbox } from "pix-sandbox";
test("a paid charge sends payin.paid", async () => {
  const sandbox = await startSandbox();
  const payin = await sandbox.payins.create();
  await sandbox.payins.pay(payin.id);
  const webhook = await sandbox.webhooks.waitFor({ type: "payin.paid", transactionId: payin.id });
  assert.equal(webhook.status, "delivered");
  await sandbox.close();
});
`;

/** What to do for a prompt that contains these words. */
const PLAYS = {
  "Create a charge": () =>
    write("code.txt", json("payin", "create", "--value", "42.50", "--description", named).qr_code),
  "shall be paid": () => run("payin", "pay", payinOf(named)),
  "shop does not know": () =>
    write("answer.txt", json("webhooks", "show", webhookOf(named).id).attempts[0].status),
  "once more": () => run("webhooks", "resend", webhookOf(named).id),
  "shall fail": () =>
    run("faults", "add", "payouts.create", "error=EXTERNAL_ERROR", "--times", "1"),
  "letting time pass": () => run("clock", "advance", "11m"),
  "no bank reads": () => {
    try {
      run("decode", readFileSync("code.txt", "utf8").trim());
    } catch ({ stdout, stderr }) {
      write("answer.txt", /\b(58|63)\b/.exec(stderr.toString() + stdout.toString())?.[1]);
    }
  },
  "refused the shop's last call": () => {
    const { errors } = JSON.parse(
      json("requests").data.find(({ status }) => status >= 400).response,
    );
    write("answer.txt", [...new Set(errors.map(({ field }) => field))].toSorted().join("\n"));
  },
  "handler.mjs": () => write("handler.mjs", HANDLER),
  "pay.mjs": () => write("pay.mjs", PAY),
  "shop.test.mjs": () => write("shop.test.mjs", TEST),
  "does wrong": () => {
    const { rules } = json("report");
    const failed = rules.filter(({ verdict }) => verdict === "fail");
    write("answer.txt", failed.map(({ id }) => id).join("\n"));
  },
};

const [, play] = Object.entries(PLAYS).find(([words]) => prompt.includes(words));
play();
