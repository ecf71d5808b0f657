import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PictureClient, readPicture } from "../../src/http/pictures/read-picture.ts";
import { blackPng, inflatingPng, qrPicture, toJpeg, toPng } from "../support/pictures.ts";

/** Reading it takes long. */
const LARGE = blackPng(6300, 6300);

class Client implements PictureClient {
  readonly closing = new AbortController().signal;
  leave: () => void = () => undefined;

  onDisconnect(listener: () => void): void {
    this.leave = listener;
  }
}

let started: number;
const count = (): number => started++;

beforeEach(() => {
  started = 0;
  process.on("worker", count);
});
afterEach(() => process.off("worker", count));

describe("pictures that are read", { timeout: 60_000 }, () => {
  it("share one thread", async () => {
    for (const text of ["one", "two"])
      expect(await readPicture(toJpeg(qrPicture(text)))).toBe(text);
    expect(started).toBeLessThanOrEqual(1);
  });

  it("give their places to others when their clients leave", async () => {
    const clients = Array.from({ length: 9 }, () => new Client());
    const readings = clients.map((client) => readPicture(LARGE, client));
    const settled = Promise.allSettled(readings);
    const refused = { status: 503, headers: { "retry-after": "5" } };
    await expect(readPicture(LARGE)).rejects.toMatchObject(refused);

    for (const client of clients) client.leave();
    const gone = {
      status: "rejected",
      reason: expect.objectContaining({ status: 408 }) as unknown,
    };
    expect(await settled).toEqual(clients.map(() => gone));
    expect(await readPicture(toPng(qrPicture("next")))).toBe("next");
  });

  it("are read although the client before them leaves", async () => {
    const client = new Client();
    const [large, next] = [readPicture(LARGE, client), readPicture(toPng(qrPicture("next")))];
    await nextTurn();
    client.leave();
    await expect(large).rejects.toMatchObject({ status: 408 });
    expect(await next).toBe("next");
  });

  it("are refused if their data inflates to more than their pixels, and the next one is read", async () => {
    await expect(readPicture(inflatingPng())).rejects.toMatchObject({ status: 413 });
    expect(await readPicture(toPng(qrPicture("next")))).toBe("next");
  });
});
