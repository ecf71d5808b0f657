import type { Command } from "commander";
import type { ClientOptions } from "../client.ts";
import type { Io } from "../io.ts";
import { t } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { toSafeLine } from "../../core/safe-text.ts";

export function resetCommand(io: Io): Command {
  const command = clientCommand("reset")
    .description(
      "go back to the fixtures, if any: other records and pending webhooks are gone, snapshots and secret stay",
    )
    .action(async ({ json, ...options }: ClientOptions & { json?: boolean }) => {
      const answer = await clientFor(options).control<WireReset>("POST", "/reset");
      if (json) return io.printJson(answer);
      const whose =
        answer.integration === null ? t`All integrations` : toSafeLine(answer.integration);
      return io.print(t`${whose}: reset. It is ${answer.now} there (${answer.mode} clock).`);
    });
  return withExamples(command, ["reset", "reset --token worker-1"]);
}

interface WireReset {
  readonly integration: string | null;
  readonly now: string;
  readonly mode: string;
}
