// Loaded into a process before the program: no socket can be made in a folder, as on some network file
// systems, and pauses that belong to a heartbeat are a quarter as long.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  if (typeof options?.path !== "string") return listen.call(this, options, ...rest);
  const error = Object.assign(new Error("listen EPERM: operation not permitted"), {
    code: "EPERM",
  });
  process.nextTick(() => this.emit("error", error));
  return this;
};

const { setTimeout } = globalThis;
globalThis.setTimeout = Object.assign(
  (act, delayMs, ...given) =>
    setTimeout(act, delayMs === 1000 || delayMs === 500 ? delayMs / 4 : delayMs, ...given),
  setTimeout,
);
