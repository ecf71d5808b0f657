import { once } from "node:events";
import http from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import type { Ready } from "../../support/serving.ts";
import { createFolder } from "../../support/folder.ts";
import { startProcess } from "../../support/process.ts";
import { BUYER, callsTo } from "../../support/calls.ts";

/** No wait is meant to take this long: it is what a test says instead of hanging. */
const PATIENCE_MS = 30_000;
/** One of each module of routes. */
const PATHS = [
  "/_sandbox/health",
  "/_sandbox/payins",
  "/_sandbox/deliveries",
  "/_sandbox/wait?timeout_ms=0",
  "/_sandbox/clock",
  "/_sandbox/snapshots",
  "/_sandbox/faults",
  "/_sandbox/requests",
  "/_sandbox/openapi.json",
];

describe.skipIf(process.platform === "win32")(
  "a sandbox with few file descriptors",
  { timeout: 60_000 },
  () => {
    it("outlives 200 idle connections, and answers on every route meanwhile and afterwards", async () => {
      await using folder = await createFolder();
      const args = ["serve", "--json", "--port", "0", "--state", folder.at("state.json")];
      await using program = startProcess("bash", [
        "-c",
        'ulimit -n 64 && exec "$0" "$@"',
        process.execPath,
        BIN,
        ...args,
      ]);
      const [line = ""] = await program.lines("stdout", 1);
      const { url, port } = JSON.parse(line) as Ready;
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      expect(await statusOf(`${url}/_sandbox/health`, agent)).toBe(200);

      // As soon as it is ready, when most of its routes are not loaded yet.
      const idle = await Promise.all(Array.from({ length: 200 }, () => open(port)));
      // A third of the descriptors are for connections, and one of those is in use.
      const refused = /^HTTP\/1\.1 503 .*EXTERNAL_ERROR/s;
      const countRefused = (): number => idle.filter(({ text }) => refused.test(text())).length;
      await expect.poll(countRefused, { timeout: PATIENCE_MS }).toBe(180);
      for (const path of PATHS)
        expect([path, await statusOf(`${url}${path}`, agent)]).toEqual([path, expectedOf(path)]);
      agent.destroy();

      for (const { socket } of idle) socket.destroy();
      const status = (): Promise<number | undefined> => statusOf(`${url}/_sandbox/health`);
      await expect.poll(status, { timeout: PATIENCE_MS }).toBe(200);
      for (const path of PATHS)
        expect([path, await statusOf(`${url}${path}`)]).toEqual([path, expectedOf(path)]);
      const created = await callsTo(url).createPayin({ ...BUYER, webhook_url: "http://[::1]:9" });
      expect(created.status).toBe(200);
      expect(await program.stop()).toMatchObject({
        code: 0,
        stderr: expect.not.stringMatching(/error/i),
      });
    });
  },
);

function expectedOf(path: string): number {
  return path.startsWith("/_sandbox/wait") ? 408 : 200;
}

/** A connection on which nothing is asked, and what comes on it. */
async function open(port: number): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(socket, "connect");
  return { socket, text: () => text };
}

async function statusOf(url: string, agent?: http.Agent): Promise<number | undefined> {
  const request = http.get(url, agent ? { agent } : { agent: false });
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  answer.resume();
  await once(answer, "end");
  return answer.statusCode;
}
