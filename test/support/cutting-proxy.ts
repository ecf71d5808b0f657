import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";

/** When a connection is cut: before a line reaches the database, in the middle of it, after it is stored, or after the response has passed. */
export type CutMoment = "before" | "during" | "after" | "answered";

/** The beginning of every line of the journal, which only what is appended contains. */
const LINE = '{"crc32":"';

/** PostgreSQL's ReadyForQuery outside of a transaction: everything that came before it is committed. */
const DONE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A network between a process and its database, which fails when it is told to. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Cuts the connection at the next line that is appended, and contains a text. Resolves when that has happened. */
  cutAppend(moment: CutMoment, text?: string): Promise<void>;
  /** Passes nothing on, in either direction, until `resume`. No connection ends. */
  hang(): void;
  resume(): void;
}

/** Starts a proxy in front of a port of this machine. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const links = new Set<Link>();
  let cut:
    | { readonly moment: CutMoment; readonly text: string; readonly done: () => void }
    | undefined;
  let isHanging = false;
  const server = net.createServer((client) => {
    const database = net.connect(target, "127.0.0.1");
    const link: Link = { client, database, isDoomed: false };
    links.add(link);
    const end = (): void => {
      links.delete(link);
      client.destroy();
      database.destroy();
    };
    const finish = (done: () => void): void => {
      end();
      done();
    };
    for (const socket of [client, database]) {
      socket.setNoDelay(true);
      socket.on("close", end).on("error", end);
      if (isHanging) socket.pause();
    }
    client.on("data", (bytes) => {
      const now = cut && bytes.includes(cut.text) ? cut : undefined;
      if (!now) return void database.write(bytes);
      cut = undefined;
      if (now.moment === "before") return finish(now.done);
      if (now.moment === "during")
        return void database.write(bytes.subarray(0, bytes.length >> 1), () => finish(now.done));
      link.isDoomed = true;
      database.write(bytes);
      const isAnswered = now.moment === "answered";
      const look = (response: Buffer): void => {
        const isDone = response.includes(DONE);
        if (isAnswered) client.write(response, () => isDone && finish(now.done));
        else if (isDone) finish(now.done);
      };
      database.on("data", look);
    });
    database.on("data", (bytes) => {
      if (!link.isDoomed) client.write(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const all = (act: (socket: Socket) => void): void => {
    for (const { client, database } of links) [client, database].forEach(act);
  };
  return {
    port: (server.address() as AddressInfo).port,
    cutAppend: (moment, text = LINE) =>
      new Promise((done) => {
        cut = { moment, text, done };
      }),
    hang() {
      isHanging = true;
      all((socket) => socket.pause());
    },
    resume() {
      isHanging = false;
      all((socket) => socket.resume());
    },
    async [Symbol.asyncDispose]() {
      server.close();
      all((socket) => socket.destroy());
      await once(server, "close");
    },
  };
}

interface Link {
  readonly client: Socket;
  readonly database: Socket;
  /** Whether the responses are not passed on any more. */
  isDoomed: boolean;
}
