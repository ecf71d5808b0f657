import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createClient,
  type EventType,
  type Sandbox,
  type SandboxClient,
  startSandbox,
  type WebhookEvent,
} from "../../../src/index.ts";
import { createFolder } from "../../support/folder.ts";

const webhookUrl = "http://127.0.0.1:1/hook";

const PLACES: { place: string; view: (sandbox: Sandbox) => Sandbox | SandboxClient }[] = [
  { place: "in process", view: (sandbox) => sandbox },
  { place: "over HTTP", view: ({ url }) => createClient({ baseUrl: url }) },
];

afterEach(() => void vi.useRealTimers());

describe.each(PLACES)("the events of a sandbox $place", ({ view }) => {
  it("are iterated over in their order, from the call on", async () => {
    await using sandbox = await startSandbox();
    const api = view(sandbox);
    const [before, one, other] = [
      await api.payins.create({ webhookUrl }),
      await api.payins.create({ webhookUrl, value: 25 }),
      await api.payouts.create({ webhookUrl }),
    ];
    await api.payins.pay(before.id);
    const events = api.events();
    await api.payins.pay(one.id);
    await api.payouts.complete(other.id);
    const read: WebhookEvent[] = [];
    for await (const event of events) if (read.push(event) === 2) break;
    const [paid, completed] = read;
    expect(paid).toMatchObject({
      id: expect.stringMatching(/^evt_/) as string,
      type: "payin.paid",
      data: { id: one.id, value: 25, pixId: one.pixId, status: "paid" },
      integration: "sandbox",
      url: webhookUrl,
    });
    expect(completed).toMatchObject({ type: "payout.completed", data: { id: other.id } });
    const { body, createdAt } = await api.webhooks.get(paid?.id ?? "");
    expect(paid?.createdAt).toBe(createdAt);
    expect(JSON.parse(body)).toMatchObject({
      id: paid?.id,
      data: { end_to_end_id: paid?.data.endToEndId },
    });
  });

  it("reach a listener of their type until it is off", async () => {
    await using sandbox = await startSandbox();
    const api = view(sandbox);
    const seen: string[] = [];
    const off = api.on("payin.paid", ({ data }) => seen.push(data.buyerCpf));
    const payouts: string[] = [];
    api.on("payout.completed", ({ data }) => payouts.push(data.receiverCpf));
    const pay = async (buyerCpf: string): Promise<void> => {
      const { id } = await api.payins.create({ webhookUrl, buyerCpf });
      await api.payins.pay(id);
    };
    await pay("12345678909");
    await expect.poll(() => seen).toEqual(["12345678909"]);
    off();
    off();
    const events = api.events();
    await pay("11144477735");
    await events.next();
    expect(seen).toHaveLength(1);
    expect(payouts).toEqual([]);
  });

  it("reach a listener and an iterator if their cause begins in the same turn", async () => {
    await using sandbox = await startSandbox();
    const api = view(sandbox);
    const { id } = await api.payins.create({ webhookUrl });
    const heard = new Promise<string>((resolve) => {
      api.on("payin.paid", ({ data }) => resolve(data.id));
    });
    const events = api.events();
    void api.payins.pay(id);
    expect(await heard).toBe(id);
    expect((await events.next()).value).toMatchObject({ data: { id } });
    await events.return?.();
  });

  it("of an integration are its own", async () => {
    await using sandbox = await startSandbox();
    const [shop, other] = [view(sandbox).integration("shop"), view(sandbox).integration("other")];
    const events = shop.events();
    for (const integration of [other, shop]) {
      const { id } = await integration.payins.create({ webhookUrl });
      await integration.payins.pay(id);
    }
    expect(await events.next()).toMatchObject({ done: false, value: { integration: "shop" } });
    await events.return?.();
  });

  it("end when the reader stops, also while it waits", async () => {
    await using sandbox = await startSandbox();
    const events = view(sandbox).events();
    const waiting = events.next();
    await events.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("are read under fake timers", async () => {
    await using sandbox = await startSandbox();
    vi.useFakeTimers();
    const api = view(sandbox);
    const events = api.events();
    const { id } = await api.payins.create({ webhookUrl });
    await api.payins.pay(id);
    expect(await events.next()).toMatchObject({ value: { data: { id } } });
    await events.return?.();
  });

  it("have a type", async () => {
    await using sandbox = await startSandbox();
    expect(() => view(sandbox).on("payin.payd" as EventType, () => undefined)).toThrow(
      'on() takes one of payin.paid, payin.expired, payout.completed, payout.canceled, payment.received, payment.failed, not "payin.payd". Did you mean "payin.paid"?',
    );
  });
});

describe("the events of a sandbox", () => {
  it("end when it closes", async () => {
    const sandbox = await startSandbox();
    const events = sandbox.events();
    const waiting = events.next();
    const later = sandbox.events();
    await sandbox.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await later.next()).toEqual({ done: true, value: undefined });
    await expect(sandbox.events().next()).rejects.toThrow("The sandbox is closed");
  });

  it("continue over HTTP after a restart, without a gap or a repeat", async () => {
    await using folder = await createFolder();
    const options = { stateFile: folder.at("state.json") };
    const first = await startSandbox(options);
    const client = createClient({ baseUrl: first.url });
    const ids: string[] = [];
    for (let count = 0; count < 3; count++)
      ids.push((await client.payins.create({ webhookUrl })).id);
    const events = client.events();
    const readId = async (): Promise<string | undefined> => {
      const { value } = (await events.next()) as IteratorResult<WebhookEvent, undefined>;
      return value?.data.id;
    };
    await client.payins.pay(ids[0] ?? "");
    expect(await readId()).toBe(ids[0]);
    await first.close();
    await using second = await startSandbox({ ...options, port: first.port });
    await second.payins.pay(ids[1] ?? "");
    expect(await readId()).toBe(ids[1]);
    await second.payins.pay(ids[2] ?? "");
    expect(await readId()).toBe(ids[2]);
    await events.return?.();
  });
});
