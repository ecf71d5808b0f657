import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { PngData } from "../../wire/picture-header.ts";
import { HttpRefusal } from "../calls/refusals.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { say } from "../../text/message.ts";

const WORKER = fileURLToPath(new URL("./picture-worker.js", import.meta.url));

/** Each holds up to 10 MiB of memory. */
const MAX_WAITING = 8;
const MAX_SECONDS = 20;
/** Starting a thread takes longer than reading a small picture. */
const MAX_IDLE_MS = 5000;
const RETRY_SECONDS = 5;

export interface Picture {
  readonly bytes: Uint8Array;
  /** Present for a PNG. */
  readonly data: PngData | undefined;
}

/** The texts of all QR codes, or why there are none. `inflated`: the data of a PNG exceed their limit. */
export type Found = readonly string[] | "unreadable" | "inflated";

/** A picture that waits or is being read. */
interface Reading extends Picture {
  readonly resolve: (found: Found) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * The thread that reads pictures, one at a time: decoding one of 40 megapixels takes hundreds of megabytes. It starts
 * with the first picture and ends when it is idle; meanwhile it does not keep the process alive.
 */
export class PictureThread {
  /** The first one is being read. */
  readonly #readings: Reading[] = [];
  #worker: Worker | undefined;
  /** Ends a reading that takes too long, or the idle thread. */
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;

  /**
   * Reads a picture after those that wait.
   * @returns `drop`, which gives the picture's place to the next one: `found` then rejects with its reason
   * @throws HttpRefusal 503 if too many pictures wait
   */
  read(picture: Picture): { found: Promise<Found>; drop: (reason: Error) => void } {
    if (this.#readings.length > MAX_WAITING) throw tooMany();
    let drop: (reason: Error) => void = () => undefined;
    const found = new Promise<Found>((resolve, reject) => {
      const reading = { ...picture, resolve, reject };
      drop = (reason) => this.#drop(reading, reason);
      if (this.#readings.push(reading) === 1) this.#readFirst();
    });
    return { found, drop };
  }

  #readFirst(): void {
    if (this.#isEnding) return;
    clearTimeout(this.#timer);
    const [reading] = this.#readings;
    if (reading) {
      const { bytes, data } = reading;
      this.#worker ??= this.#start();
      this.#worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage({ bytes, data });
      this.#timer = setTimeout(() => this.#drop(reading, tooSlow()), MAX_SECONDS * 1000);
    } else if (this.#worker) {
      this.#worker.unref();
      this.#timer = setTimeout(() => void this.#end(), MAX_IDLE_MS).unref();
    }
  }

  #start(): Worker {
    // Without the process's own options: a thread cannot start with some, such as --input-type.
    const worker = new Worker(WORKER, { execArgv: [] });
    const fail = (error: Error): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#readings.shift()?.reject(error);
      this.#readFirst();
    };
    worker.on("message", (found: Found) => {
      if (this.#worker !== worker) return;
      this.#readings.shift()?.resolve(found);
      this.#readFirst();
    });
    worker.once("error", fail);
    worker.once("exit", () => fail(new Error("The thread that reads pictures has ended.")));
    return worker;
  }

  #drop(reading: Reading, reason: Error): void {
    const place = this.#readings.indexOf(reading);
    if (place === -1) return;
    this.#readings.splice(place, 1);
    reading.reject(reason);
    // Only the end of the thread ends a decoder that is running.
    if (place === 0 && !this.#isEnding) void this.#end();
  }

  /** Ends the thread, then continues with another one. */
  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isEnding = true;
    await worker?.terminate();
    this.#isEnding = false;
    this.#readFirst();
  }
}

function tooMany(): HttpRefusal {
  return new HttpRefusal(
    503,
    "EXTERNAL_ERROR",
    say`${MAX_WAITING} pictures are already waiting to be read. Try again in ${RETRY_SECONDS} s.`,
    { headers: { "retry-after": String(RETRY_SECONDS) } },
  );
}

function tooSlow(): HttpRefusal {
  return new HttpRefusal(
    422,
    "NOT_PROCESSABLE",
    say`The picture was not read within ${MAX_SECONDS} s; send a smaller one.`,
  );
}
