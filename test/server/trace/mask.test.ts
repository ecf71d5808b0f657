import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../../../src/server/start.ts";
import { hasCpfCheckDigits } from "../../../src/core/records/cpf.ts";
import { readTrace, recordsAt, type Trace } from "../../../src/server/trace/trace.ts";
import { requests } from "../../support/fixtures.ts";
import { call, control, type Json } from "../../support/gateway.ts";

const PRIVATE = {
  token: "loja-da-maria-secreta",
  cpf: "11144477735",
  name: "Joaquim José da Silva Xavier",
  email: "joaquim.xavier@mail.example",
  key: "+5511987654321",
};

async function traceOf(sandbox: Sandbox, query = ""): Promise<{ html: string; trace: Trace }> {
  const response = await sandbox.fetch(`/_sandbox/trace${query}`);
  const html = await response.text();
  return { html, trace: readTrace(html, "trace.html") };
}

async function sell(sandbox: Sandbox): Promise<string> {
  const { token, cpf, name, email, key } = PRIVATE;
  const buyer = { buyer_cpf: cpf, buyer_name: name, buyer_email: email };
  const { json } = await call(sandbox, {
    path: "/v1/payins",
    token,
    body: { ...requests.get("payin"), ...buyer, description: `for ${name}, ${cpf}` },
  });
  const id = String((json as Json)["id"]);
  await control(sandbox, token, `POST /payins/${id}/pay`);
  await call(sandbox, {
    path: "/v1/payouts",
    token,
    body: {
      ...requests.get("payout-phone"),
      receiver_cpf: cpf,
      receiver_name: name,
      receiver_email: email,
      pix_key: key,
    },
  });
  // Refused: nothing of it is in the records.
  await call(sandbox, {
    path: "/v1/payins",
    token,
    body: { ...requests.get("payin"), ...buyer, value: -1, buyer_email: "other@mail.example" },
  });
  return id;
}

describe("a trace", () => {
  it("contains no token, secret or personal value of the run", async () => {
    await using sandbox = await startSandbox();
    await sell(sandbox);
    const { html } = await traceOf(sandbox);
    const hidden = [...Object.values(PRIVATE), "other@mail.example", sandbox.secret, sandbox.seed];
    expect(hidden.filter((value) => html.includes(value))).toEqual([]);
  });

  it("has other values of the same shape in their place, each the same everywhere", async () => {
    await using sandbox = await startSandbox();
    const id = await sell(sandbox);
    const { trace } = await traceOf(sandbox);
    const records = recordsAt(trace);
    const payin = records.payins.get(id);
    const [payout] = records.payouts.all();
    expect(payin?.integration).toBe("shop-1");
    expect(hasCpfCheckDigits(payin?.buyerCpf ?? "")).toBe(true);
    expect(payout).toMatchObject({ receiverCpf: payin?.buyerCpf, receiverName: payin?.buyerName });
    expect(payout?.pixKey).toMatch(/^\+55119\d{8}$/);
    expect(payin?.description).toBe(`for ${payin?.buyerName}, ${payin?.buyerCpf}`);
    expect(trace.requests[0]?.body).toContain(payin?.buyerEmail);
  });

  it("keeps the values if that is requested, but no secret", async () => {
    await using sandbox = await startSandbox();
    await sell(sandbox);
    const { html, trace } = await traceOf(sandbox, "?masked=false");
    expect(trace.masked).toBe(false);
    expect(html).toContain(PRIVATE.name);
    expect(html).not.toContain(sandbox.secret);
  });
});
