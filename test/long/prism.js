import { createLogger } from "@stoplight/prism-core";
import { getHttpOperationsFromSpec } from "@stoplight/prism-http";
import { createServer } from "@stoplight/prism-http-server";

/** Stoplight Prism as `prism proxy` runs it, but for its log, which takes longer than its work. */
const [, , file = "", upstream = ""] = process.argv;
const server = createServer(await getHttpOperationsFromSpec(file), {
  cors: false,
  components: { logger: createLogger("proxy", { enabled: false }) },
  config: {
    isProxy: true,
    upstream: new URL(upstream),
    checkSecurity: true,
    validateRequest: true,
    validateResponse: true,
    errors: false,
    mock: { dynamic: false },
  },
});
process.stdout.write(`${await server.listen(0, "127.0.0.1")}\n`);
