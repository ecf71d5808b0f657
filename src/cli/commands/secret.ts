import type { Command } from "commander";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";

export function secretCommand(io: Io): Command {
  const command = clientCommand("secret").action(
    async ({ json, ...options }: ClientOptions & { json?: boolean }) => {
      const answer = await clientFor(options).control<{ secret: string }>("GET", "/secret");
      if (json) io.printJson(answer);
      else io.print(answer.secret);
    },
  );
  return withExamples(command, ["secret", "secret > .webhook-secret"]);
}
