import { SHOW_ENVIRONMENT } from "../../core/state/wire-routes.ts";
import { PROGRAM } from "../../platform/program.ts";
import { defineCommand } from "../definition/define-command.ts";
import { flag, repeatable } from "../definition/parameters.ts";
import { named, readRenames, renderExports, renderPlain } from "../definition/variables.ts";

export const envCommand = defineCommand("env", {
  flags: {
    as: repeatable("name=variable", {
      en: "print a variable under another name; repeatable",
      pt: "imprime uma variável com outro nome; pode se repetir",
    }),
    plain: flag({
      en: "print one name=value per line, for $GITHUB_ENV and docker --env-file",
      pt: "imprime um nome=valor por linha, para $GITHUB_ENV e docker --env-file",
    }),
  },
  route: SHOW_ENVIRONMENT,
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
