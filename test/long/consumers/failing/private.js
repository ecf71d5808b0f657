import { writeFileSync } from "node:fs";
import { Shop } from "./shop.js";

/** What must not be in a trace. */
export const PRIVATE = {
  cpf: "11144477735",
  name: "Joaquim José da Silva Xavier",
  email: "joaquim.xavier@correio.example",
  phone: "+5511987654321",
  evp: "7d9f2c64-1b35-4a8e-9c0d-5e6f7a8b9c0d",
  otherName: "Zulmira Aparecida Quintanilha",
  otherEmail: "zulmira@correio.example",
};

/** Sells to people whose data is private. @returns the id of a charge that waits */
export async function sellInPrivate(sandbox, integration) {
  const { cpf, name, email, phone, evp, otherName, otherEmail } = PRIVATE;
  const buyer = { buyerCpf: cpf, buyerName: name, buyerEmail: email };
  const dotted = cpf.replace(/(...)(...)(...)(..)/, "$1.$2.$3-$4");
  const description = `Pedido de ${name}, CPF ${dotted}`;
  const { id } = await integration.payins.create({ value: 42.5, description, ...buyer });
  const receiver = { receiverName: otherName, receiverEmail: otherEmail };
  for (const [pixKey, pixKeyType, receiverCpf] of [
    [phone, "phone", "52998224725"],
    [evp, "evp", "39053344705"],
  ])
    await integration.payouts.create({ value: 5, pixKey, pixKeyType, receiverCpf, ...receiver });
  const shop = new Shop(sandbox.baseUrl, () => ({
    ...integration.headers(),
    "user-agent": `shop of ${email}`,
    "x-customer": encodeURIComponent(name),
    referer: `https://shop.example/search?cpf=${cpf}&email=${encodeURIComponent(email)}`,
  }));
  await shop.open();
  await shop.sell(10.5);
  await shop.close();
  return id;
}

/** Leaves a file with the records that a test has, and what must not be in its trace. */
export async function leaveRecords({ secret, seed }, { token, payins, payouts }, id) {
  const records = [...(await payins.list()), ...(await payouts.list())];
  const hidden = [...Object.values(PRIVATE), token, secret, seed];
  writeFileSync("left.json", JSON.stringify({ id, records, hidden }));
}
