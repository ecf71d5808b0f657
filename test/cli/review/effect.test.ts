import { EventEmitter, once } from "node:events";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runOrderCommand } from "../../../src/cli/check-webhook/order-command.ts";
import { EffectError, EffectProbe } from "../../../src/cli/review/effect.ts";
import { createFolder } from "../../support/folder.ts";
import { startProcess } from "../../support/process.ts";

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
  "ação 💸",
];
/** A placeholder in each kind of quotes. */
const QUOTED = [
  "printf '<%s>' x{description}",
  `printf '<%s>' "x{description}"`,
  "printf '<%s>' 'x{description}'",
  `printf '<%s>' "x"'{description}'`,
  String.raw`printf '<%s>' \"{description} | sed 's/<"/<x/'`,
];

describe("an effect's command", { timeout: 60_000 }, () => {
  it.each(QUOTED)(
    "takes any value as data, and shows a command that does too: %s",
    async (text) => {
      for (const description of HOSTILE) {
        const record = { id: "17", description };
        expect(await probe(text).read(record)).toBe(`<x${description}>`);
        await using copied = startProcess("sh", ["-c", probe(text).commandFor(record)], {
          cwd: folder.path,
        });
        expect(await copied.ended).toMatchObject({ code: 0, stdout: `<x${description}>` });
      }
      expect(await readdir(folder.path)).toEqual([]);
    },
  );

  it.each([
    'echo "$(printf %s "{description}")"',
    "echo `printf %s {description}`",
    'echo "a $(echo "b \'{description}\'")"',
    "cat <<END\n{description}\nEND",
    "echo $(({description})) 2>/dev/null || true",
  ])("never runs a value, even where quotes are nested: %s", async (text) => {
    for (const description of HOSTILE)
      await probe(text)
        .read({ id: "17", description })
        .catch((error: unknown) => expect(error).toBeInstanceOf(EffectError));
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("is shown with plain values in their place", () => {
    const record = { id: "17", value: 10.5, generate_qrcode: false };
    const text = "curl -s localhost:3000/orders/{id}?v={value}&q={generate_qrcode}";
    expect(probe(text).commandFor(record)).toBe("curl -s localhost:3000/orders/17?v=10.5&q=false");
  });

  it("has no placeholder in a variable, in doubled braces and in other braces", async () => {
    const text = `x=1; echo \${x} {{id}} '{ "a": 1 }' {A,B}`;
    expect(await probe(text).read({ id: "17" })).toMatch(/^1 \{id\} \{ "a": 1 \} /);
  });

  it("refuses a member that the record lacks, and names those that it has", async () => {
    await expect(probe("echo {order}").read({ id: "17", settled_at: null })).rejects.toMatchObject({
      exitCode: 2,
      message: "The effect's placeholder {order} has no value in 17.",
      hint: "Use one of id. Write {{order}} for the braces themselves.",
    });
    await expect(probe("echo {settled_at}").read({ id: "17", settled_at: null })).rejects.toThrow(
      "{settled_at}",
    );
    await expect(probe("echo {constructor}").read({ id: "17" })).rejects.toThrow("{constructor}");
  });

  it("refuses a value that would be an option of the command", async () => {
    await expect(probe("cat {description}").read({ description: "--help" })).rejects.toThrow(
      'The value of {description} starts with "-"',
    );
    expect(await probe("echo order={description}").read({ description: "-n" })).toBe("order=-n");
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

describe("an order's command", { timeout: 60_000 }, () => {
  it("prints the id of a transaction, at any place", async () => {
    const id = "0f3c1a52-7d0e-4a57-8a3e-2b6c6f5d9e10";
    expect(await runOrderCommand(`echo 'order ${id} created'`, io())).toBe(id);
    expect(await runOrderCommand("echo last", io())).toBe("last");
  });

  it("ends on a signal and after the time limit, with what it started", async () => {
    const began = once(signals, "newListener");
    const ordering = runOrderCommand("sleep 300 & sleep 300", io());
    await began;
    signals.emit("SIGINT", "SIGINT");
    await expect(ordering).rejects.toMatchObject({ code: "INTERRUPTED" });
    await expect(runOrderCommand("sleep 300 & sleep 300", io(), 100)).rejects.toMatchObject({
      code: "ORDER_FAILED",
      message: "The order's command took more than 0.1 s.",
    });
  });
});
