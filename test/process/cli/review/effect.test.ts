import { EventEmitter, once } from "node:events";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderCommand } from "../../../../src/cli/review/shop-commands.ts";
import { EffectProbe } from "../../../../src/cli/review/effect.ts";
import { EffectError } from "../../../../src/play/effect-record.ts";
import { createFolder } from "../../../support/folder.ts";
import { startMerchant } from "../../../support/merchant.ts";
import { say } from "../../../../src/text/message.ts";

let folder: Awaited<ReturnType<typeof createFolder>>;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const signals = new EventEmitter();
const io = () => ({
  cwd: folder.path,
  env: process.env,
  onSignal: (handler: (signal: NodeJS.Signals) => void) => {
    signals.on("SIGINT", handler);
    return () => void signals.off("SIGINT", handler);
  },
});
const probe = (template: string, limitMs?: number) => new EffectProbe(template, io(), limitMs);

const HOSTILE = [
  "'; touch pwned; '",
  '"; touch pwned; "',
  "$(touch pwned)",
  "`touch pwned`",
  "\"$(touch pwned)'`touch pwned`",
  "${IFS}touch${IFS}pwned",
  "a\ntouch pwned\n",
  "& touch pwned &",
  String.raw`\'; touch pwned #`,
  "{id} {description}",
  "$& $1 $` $'",
  "*",
  "%00",
  "..",
  ".",
  "-n",
  "../admin?x=1#y",
  "ação 💸",
];

describe("an effect's command", { timeout: 60_000 }, () => {
  it("gets any value in a variable", async () => {
    const text = `printf '<%s>' "$PIX_DESCRIPTION"`;
    for (const description of HOSTILE) {
      const record = { id: "17", description };
      expect(await probe(text).read(record)).toBe(`<${description}>`);
    }
    expect(await readdir(folder.path)).toEqual([]);
  });

  it.each([
    `sh -c 'echo {description}' # PIX_`,
    "sh -c 'echo $PIX_DESCRIPTION'",
    'echo "$(printf %s "$PIX_DESCRIPTION")"',
    "cat <<END\n$PIX_DESCRIPTION\nEND",
  ])("never runs a value: %s", async (text) => {
    for (const description of HOSTILE) await probe(text).read({ id: "17", description });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("gets each member that has a text, and an empty one without a value", async () => {
    const record = { id: "17", value: 10.5, generate_qrcode: false, settled_at: null, other: {} };
    const text =
      'echo "$PIX_ID $PIX_VALUE $PIX_GENERATE_QRCODE <${PIX_SETTLED_AT?}> ${PIX_OTHER-}"';
    expect(await probe(text).read(record)).toBe("17 10.5 false <>");
  });

  it("gets no description of the caller's for a record without one", async () => {
    const inherited = { ...process.env, PIX_DESCRIPTION: "inherited" };
    const effect = new EffectProbe(`printf '<%s>' "$PIX_DESCRIPTION"`, { ...io(), env: inherited });
    expect(await effect.read({ id: "17" })).toBe("<>");
  });

  it("may have braces, but no placeholder: each record would look the same", async () => {
    expect(await probe(`x=1; echo \${x} {{a}} '{ "a": 1 }'`).read({ x: 2 })).toBe(
      '1 {{a}} { "a": 1 }',
    );
    expect(await probe('echo "$PIX_ID {id}"').read({ id: "17" })).toBe("17 {id}");
    await expect(probe("curl -s localhost/{id}").read({ id: "17" })).rejects.toMatchObject({
      exitCode: 2,
      message: "{id} has no meaning in the effect's command: only an address has placeholders.",
      hint: expect.stringContaining('"$PIX_ID"'),
    });
  });

  it("fails if the command does, and says how", async () => {
    await expect(probe("echo gone >&2; exit 3").read({})).rejects.toThrow(
      "The effect's command ended with 3 (gone): echo gone >&2; exit 3",
    );
    await expect(probe("head -c 2000000 /dev/zero").read({})).rejects.toThrow("more than 1 MB");
  });

  it("ends the command on a signal, and listens no longer", async () => {
    const began = once(signals, "newListener");
    const reading = probe("sleep 300").read({});
    await began;
    signals.emit("SIGINT", "SIGINT");
    await expect(reading).rejects.toMatchObject({ exitCode: 130, code: "INTERRUPTED" });
    expect(signals.listenerCount("SIGINT")).toBe(0);
  });

  it("ends the command and what it started after the time limit", async () => {
    await expect(probe("sleep 300 & sleep 300", 100).read({})).rejects.toThrow(
      "The effect's command took more than 0.1 s",
    );
  });
});

describe("an effect's address", { timeout: 60_000 }, () => {
  it("has the members in its path and query, percent-encoded", async () => {
    await using shop = await startMerchant({ answer: { status: 200, body: "credited\n" } });
    const template = probe(`${shop.at("/orders/a-{description}")}?id={id}&name={description}`);
    for (const description of HOSTILE) {
      const record = { id: "17", description };
      expect(await template.read(record)).toBe("credited");
      const sent = shop.received.at(-1)?.path ?? "";
      expect(sent).not.toMatch(/[\s"`<>{}\\]/);
      const { pathname, searchParams } = new URL(sent, shop.url);
      expect(decodeURIComponent(pathname)).toBe(`/orders/a-${description}`);
      expect([...searchParams]).toEqual([
        ["id", "17"],
        ["name", description],
      ]);
    }
    expect(await readdir(folder.path)).toEqual([]);
  });

  it.each([
    ["/{v}", ""],
    ["/orders/{v}", "."],
    ["/orders/{v}/state", ".."],
    ["/orders/.{v}", "."],
    ["/orders/%2E{v}?id=1", "."],
    ["/orders/{v}{v}", "."],
  ])("never leads to another path: %s with %j", async (path, v) => {
    await using shop = await startMerchant();
    const reading = probe(shop.at(path)).read({ v });
    await expect(reading).rejects.toThrow("would be another path of the address");
    await expect(reading).rejects.toBeInstanceOf(EffectError);
    expect(shop.received).toEqual([]);
    expect(await probe(`${shop.at("/orders")}?v={v}`).read({ v })).toBe("");
  });

  it.each([
    "http://{id}/orders",
    "http://shop.{id}:3000/",
    "http://localhost:{id}/",
    "http://localhost{id}",
    "http://localhost\\{id}",
    "http://user:{id}@localhost/",
    "http://user:secret@localhost/{id}",
    "http://localhost/#{id}",
    "http://localhost/{Id}",
    "http://localhost/{id",
    "http://localhost/ {id}",
    "https://",
  ])("has placeholders nowhere else, and is an address: %s", (text) => {
    expect(() => probe(text)).toThrow("Invalid address of an effect: ");
  });

  it("refuses a member that the record lacks, and names those that it has", async () => {
    const at = (name: string) =>
      probe(`http://localhost:1/{${name}}`).read({ id: "17", end: null });
    await expect(at("order")).rejects.toMatchObject({
      code: "USAGE",
      message: "The effect's placeholder {order} has no value in 17.",
      hint: say`Use one of ${"id"}.`,
    });
    await expect(at("end")).rejects.toThrow("{end}");
    await expect(at("constructor")).rejects.toThrow("{constructor}");
  });

  it("takes no redirect and no failure for an effect, but a 404", async () => {
    await using shop = await startMerchant();
    const template = probe(shop.at("/{id}"));
    shop.answerWith({ status: 404, body: "no order yet" });
    expect(await template.read({ id: "17" })).toBe("404 no order yet");
    for (const status of [302, 401, 500]) {
      shop.answerWith({ status, headers: { location: shop.at("/elsewhere") }, body: "same" });
      await expect(template.read({ id: "17" })).rejects.toThrow(
        `The effect's address responded with the status ${status}: ${shop.at("/17")}`,
      );
    }
    expect(shop.received.map(({ path }) => path)).toEqual(Array(4).fill("/17"));
    await shop.close();
    await expect(template.read({ id: "17" })).rejects.toThrow("cannot be read (ECONNREFUSED)");
  });

  it("reads at most 1 MiB", async () => {
    await using shop = await startMerchant();
    const bodyOf = async (size: number): Promise<string> => {
      shop.answerWith({ status: 200, body: "x".repeat(size) });
      return probe(shop.url).read({});
    };
    expect(await bodyOf(1024 * 1024)).toHaveLength(1024 * 1024);
    await expect(bodyOf(1024 * 1024 + 1)).rejects.toThrow("sent more than 1 MiB");
  });

  it("is no compressed body: it was not asked for", async () => {
    await using shop = await startMerchant({
      answer: { status: 200, headers: { "content-encoding": "gzip" }, body: "noise" },
    });
    await expect(probe(shop.url).read({})).rejects.toThrow("sent a compressed body");
  });

  it("ends on a signal and after the time limit", async () => {
    await using shop = await startMerchant({ answer: "hold" });
    const reading = probe(shop.url).read({});
    const [error] = await Promise.all([
      reading.catch((reason: unknown) => reason),
      shop.waitFor(1).then(() => signals.emit("SIGINT", "SIGINT")),
    ]);
    expect(error).toMatchObject({ exitCode: 130, code: "INTERRUPTED" });
    expect(signals.listenerCount("SIGINT")).toBe(0);
    await expect(probe(shop.url, 100).read({})).rejects.toThrow("took more than 0.1 s");
  });
});

describe("a value of an effect", () => {
  it.each([
    ["description of 17 contains the character U+0000.", "a\0b"],
    ["description of 17 is larger than 100 kB.", "é".repeat(50_001)],
  ])(
    "is refused with one sentence if a command could not get it: %s",
    async (says, description) => {
      for (const text of ["true", "http://localhost:1/?q={description}"]) {
        const reading = probe(text).read({ id: "17", description });
        await expect(reading).rejects.toThrow(`The effect cannot be read: ${says}`);
        await expect(reading).rejects.toBeInstanceOf(EffectError);
      }
    },
  );

  it("may have 100 kB", async () => {
    const description = "x".repeat(100_000);
    expect(await probe('printf %s "$PIX_DESCRIPTION"').read({ description })).toBe(description);
  });
});

describe("an order's command", { timeout: 60_000 }, () => {
  it("prints the id of a transaction, at any place", async () => {
    const id = "0f3c1a52-7d0e-4a57-8a3e-2b6c6f5d9e10";
    expect(await orderCommand(`echo 'order ${id} created'`, io())()).toBe(id);
    expect(await orderCommand("echo last", io())()).toBe("last");
  });

  it("that fails after it has worked points to a merchant that has stopped", async () => {
    const hint = (text: string) => ({ code: "ORDER_FAILED", hint: expect.stringContaining(text) });
    const order = orderCommand("mkdir ordered && echo last", io());
    expect(await order()).toBe("last");
    await expect(order()).rejects.toMatchObject(hint("does the merchant still run?"));
    const never = orderCommand("false", io());
    await expect(never()).rejects.toMatchObject(hint("Run it by itself"));
  });

  it("ends on a signal and after the time limit, with what it started", async () => {
    const began = once(signals, "newListener");
    const ordering = orderCommand("sleep 300 & sleep 300", io())();
    await began;
    signals.emit("SIGINT", "SIGINT");
    await expect(ordering).rejects.toMatchObject({ code: "INTERRUPTED" });
    await expect(orderCommand("sleep 300 & sleep 300", io(), 100)()).rejects.toMatchObject({
      code: "ORDER_FAILED",
      message: "The order's command took more than 0.1 s.",
    });
  });
});
