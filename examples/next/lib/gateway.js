import { setTimeout as sleep } from "node:timers/promises";

const PAUSES_MS = [0, 200, 1000, 5000];

export const createPayin = (key, payin) => post("/payins", key, payin);
export const createPayout = (key, payout) => post("/payouts", key, payout);

/**
 * Sends a call. If no answer comes, or a 5xx, the gateway may or may not have done it. The call is then
 * sent again with the same key: the gateway answers with the first outcome and creates nothing twice.
 */
async function post(path, key, body) {
  const request = {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-token": process.env.PIX_SANDBOX_TOKEN,
      "x-provider-id": "1",
      "x-provider": "My Shop",
      "x-country-code": "BR",
      "x-idempotency-key": key,
    },
    body: JSON.stringify(body),
  };
  let failure;
  for (const pause of PAUSES_MS) {
    await sleep(pause);
    try {
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(process.env.PIX_SANDBOX_BASE_URL + path, { ...request, signal });
      const answer = await response.json();
      if (response.ok) return answer;
      failure = new Error(`${path}: ${response.status} ${answer.code}: ${answer.message}`);
      if (response.status < 500) break; // refused: the same call would be refused again
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
