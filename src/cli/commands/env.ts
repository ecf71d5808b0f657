import { PROGRAM } from "../../platform/program.ts";
import { defineCommand } from "../definition/define-command.ts";
import { flag, repeatable } from "../definition/parameters.ts";
import { named, readRenames, renderExports, renderPlain } from "../definition/variables.ts";
import { say } from "../../text/message.ts";

export const envCommand = defineCommand("env", {
  flags: {
    as: repeatable("name=variable", say`print a variable under another name; repeatable`),
    plain: flag(say`print one name=value per line, for $GITHUB_ENV and docker --env-file`),
  },
  route: "GET /env",
  request({ as = [] }) {
    // Refuses an invalid one before the call.
    readRenames(as);
    return {};
  },
  show(environment, _run, { as = [], plain }) {
    const variables = named(environment, readRenames(as));
    return plain ? renderPlain(variables) : renderExports(variables);
  },
  examples: [
    "env",
    `env --token my-shop; eval "$(${PROGRAM} env)"`,
    "env --plain --as BASE_URL=PIX_API_URL >> $GITHUB_ENV",
  ],
});
