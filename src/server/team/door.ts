import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { listen, type Listening, type ListenOptions } from "../../http/faces/listen.ts";

/** One server, whose calls go to the standby or to the leader that this process is now. */
export class Door {
  readonly listening: Listening;
  readonly #standby: RequestListener;
  readonly #switch: { handler: RequestListener };

  private constructor(
    listening: Listening,
    standby: RequestListener,
    handlers: { handler: RequestListener },
  ) {
    this.listening = listening;
    this.#standby = standby;
    this.#switch = handlers;
  }

  /** @throws Error with the code EADDRINUSE if the port is busy. */
  static async open(standby: RequestListener, options: ListenOptions): Promise<Door> {
    const handlers = { handler: standby };
    const listening = await listen(
      (request, response) => handlers.handler(request, response),
      options,
    );
    return new Door(listening, standby, handlers);
  }

  /** Passes calls to a leader until what is returned is closed. */
  lead(leader: RequestListener): Listening {
    const open = new Set<ServerResponse>();
    let onIdle: () => void = () => undefined;
    this.#switch.handler = (request: IncomingMessage, response: ServerResponse) => {
      open.add(response);
      response.once("close", () => {
        open.delete(response);
        if (open.size === 0) onIdle();
      });
      leader(request, response);
    };
    const close = (graceMs: number): Promise<void> => {
      this.#switch.handler = this.#standby;
      if (open.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const cut = setTimeout(() => open.forEach((response) => response.destroy()), graceMs);
        onIdle = () => {
          clearTimeout(cut);
          resolve();
        };
      });
    };
    return { ...this.listening, close };
  }
}
