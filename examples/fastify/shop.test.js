import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { shop } from "./shop.js";
import { isGenuine } from "./webhook.js";

const BUYER = {
  buyer_cpf: "12345678909",
  buyer_name: "Maria da Silva",
  buyer_email: "maria@example.com",
};

before(async () => {
  process.env.SHOP_URL = await shop.listen({ port: 0 });
});
after(() => shop.close());

test("a paid order is marked as paid", async () => {
  const { id, qr_code } = await createOrder("1001");
  assert.match(qr_code, /^000201/);
  await sandbox("POST", `/payins/${id}/pay`);
  await sandbox("GET", `/wait?type=payin.paid&transaction_id=${id}`);
  assert.deepEqual(await historyOf(id), ["waiting", "paid"]);
});

test("a repeated webhook changes nothing", async () => {
  const { id } = await createOrder("1002");
  await sandbox("POST", "/faults", { on: "webhook", effect: "duplicate_at_once", times: 1 });
  await sandbox("POST", `/payins/${id}/pay`);
  await sandbox("POST", "/settle"); // until both have been answered
  const delivery = await sandbox("GET", `/wait?type=payin.paid&transaction_id=${id}`);
  const { attempts } = await sandbox("POST", `/deliveries/${delivery.id}/resend`);
  assert.deepEqual(
    attempts.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.deepEqual(await historyOf(id), ["waiting", "paid"]);
});

test("a webhook with a wrong signature is refused", async () => {
  const { id } = await createOrder("1003");
  await sandbox("POST", "/faults", { on: "webhook", effect: "bad_signature", times: 1 });
  await sandbox("POST", `/payins/${id}/pay`);
  await sandbox("POST", "/settle");
  const { data } = await sandbox("GET", `/deliveries?transaction_id=${id}`);
  assert.equal(data[0].attempts[0].status, 400);
  assert.deepEqual(await historyOf(id), ["waiting"]);
});

test("a payout whose answer is lost is sent once", async () => {
  await sandbox("POST", "/faults", { on: "payouts.create", effect: "lost_answer", times: 1 });
  const { id } = await ask("POST", "/payouts", {
    invoice: "2001",
    value: 25,
    receiver_cpf: "52998224725",
    receiver_name: "João Souza",
    receiver_email: "joao@example.com",
    pix_key: "52998224725",
    pix_key_type: "cpf",
  });
  const { data } = await sandbox("GET", "/payouts");
  assert.deepEqual(
    data.map((payout) => payout.id),
    [id],
  );
  await sandbox("POST", `/payouts/${id}/complete`);
  await sandbox("GET", `/wait?type=payout.completed&transaction_id=${id}`);
  assert.deepEqual(await historyOf(id), ["waiting", "completed"]);
});

test("a signature is valid for its bytes, for five minutes", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,b2xk v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const body = '{"test": 2432232314}';
  assert(isGenuine(body, headers, secret, 1614265330));
  assert(isGenuine(body, headers, secret, 1614265330 + 300));
  assert(!isGenuine(body, headers, secret, 1614265330 + 301));
  assert(!isGenuine(body, headers, secret, 1614265330 - 301));
  assert(!isGenuine('{"test":2432232314}', headers, secret, 1614265330));
  assert(!isGenuine(body, {}, secret));
});

const createOrder = (number) => ask("POST", "/orders", { number, value: 10.5, ...BUYER });
const historyOf = (id) => ask("GET", `/payments/${id}`);
/** Calls a route of the shop. */
const ask = (method, path, body) => call(method, process.env.SHOP_URL + path, body);
/** Calls a control route of the sandbox. */
const sandbox = (method, path, body) =>
  call(method, `${process.env.PIX_SANDBOX_URL}/_sandbox${path}`, body);

async function call(method, url, body) {
  const request = { method, headers: { "x-api-token": process.env.PIX_SANDBOX_TOKEN } };
  if (body) {
    request.headers["content-type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  const response = await fetch(url, request);
  assert(response.ok, `${method} ${url}: ${response.status}`);
  return response.json();
}
