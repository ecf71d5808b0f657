// Opens and closes event streams and waits, over sockets and in process, and prints the heap that is left.
import { once } from "node:events";
import http from "node:http";
import { startSandbox } from "../../../dist/index.js";

/** How many of each kind are open at the same time. */
const AT_ONCE = 25;

const rounds = Number(process.argv[2]);
const sandbox = await startSandbox({ clock: "frozen" });
const healthy = () => sandbox.fetch("/_sandbox/health");

/** Each opens one, and resolves to what closes it. */
const KINDS = [
  async function streamOverSocket() {
    const [answer] = await once(http.get(`${sandbox.url}/_sandbox/events`), "response");
    await once(answer, "readable");
    return async () => {
      answer.destroy();
      await once(answer, "close");
    };
  },
  async function streamInProcess() {
    const reader = (await sandbox.fetch("/_sandbox/events")).body.getReader();
    await reader.read();
    return () => reader.cancel();
  },
  async function headOfStream() {
    await sandbox.fetch("/_sandbox/events", { method: "HEAD" });
    return async () => undefined;
  },
  async function waitOverSocket() {
    const request = http.get(`${sandbox.url}/_sandbox/wait?timeout_ms=600000`);
    const closed = new Promise((resolve) => request.on("error", resolve));
    await once(request, "finish");
    return () => {
      request.destroy();
      return closed;
    };
  },
  async function waitInProcess() {
    const giving = new AbortController();
    const waiting = sandbox.fetch("/_sandbox/wait?timeout_ms=600000", { signal: giving.signal });
    await healthy();
    return async () => {
      giving.abort();
      await waiting.catch(() => undefined);
    };
  },
];

for (let round = 0; round < rounds; round++) {
  const closers = await Promise.all(
    KINDS.flatMap((open) => Array.from({ length: AT_ONCE }, () => open())),
  );
  await collect();
  await Promise.all(closers.map((close) => close()));
}
for (let turn = 0; turn < 5; turn++) await collect();
process.stdout.write(String(process.memoryUsage().heapUsed));
process.exit();

/** What has just ended is let go of in the turns that follow, and finalizers run between collections. */
async function collect() {
  await healthy();
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc();
}
