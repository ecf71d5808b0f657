/**
 * The bare server once more, by way of h3 and with one route: what of a start is the framework's. It is
 * bundled before it is started, as the sandbox is.
 */
import { createServer } from "node:http";
import { H3, toNodeHandler } from "h3";

const app = new H3().get("/_sandbox/health", () => ({ status: "ok" }));
const server = createServer(
  /** @type {import("node:http").RequestListener} */ (toNodeHandler(app)),
);

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify(server.address())}\n`); // its port among the rest
});
