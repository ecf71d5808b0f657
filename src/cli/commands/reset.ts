import type { Command } from "commander";
import type { ClientOptions } from "../command-client.ts";
import type { Io } from "../io.ts";
import { localize } from "../language.ts";
import { clientCommand, clientFor, withExamples } from "../options.ts";
import { toSafeLine } from "../../text/safe-text.ts";

export function resetCommand(io: Io): Command {
  const command = clientCommand("reset").action(
    async ({ json, ...options }: ClientOptions & { json?: boolean }) => {
      const answer = await clientFor(options).control<WireReset>("POST", "/reset");
      if (json) return io.printJson(answer);
      const whose =
        answer.integration === null
          ? localize({ en: "All integrations", pt: "Todas as integrações" })
          : toSafeLine(answer.integration);
      return io.print(
        localize({
          en: `${whose}: reset. The time is ${answer.now} (${answer.mode} clock).`,
          pt: `${whose}: reset feito. A hora é ${answer.now} (relógio ${answer.mode}).`,
        }),
      );
    },
  );
  return withExamples(command, ["reset", "reset --token worker-1"]);
}

interface WireReset {
  readonly integration: string | null;
  readonly now: string;
  readonly mode: string;
}
