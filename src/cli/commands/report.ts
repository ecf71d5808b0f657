import { readReview } from "../../client/review.ts";
import { toMarkdown } from "../../review/markdown.ts";
import { defineOwnCommand } from "../definition/define-command.ts";
import { coreLanguage } from "../terminal/language.ts";
import { flag } from "../definition/parameters.ts";
import { withProgress } from "../client/progress.ts";
import { applyGate, assertOneFormat, GATE_FLAGS } from "../review/gate.ts";
import { renderQuestions, renderReview } from "../review/render-review.ts";
import { say } from "../../text/message.ts";

export const reportCommand = defineOwnCommand("report", {
  flags: {
    ...GATE_FLAGS,
    questions: flag(say`print the questions for the provider, for an e-mail`),
  },
  async run({ questions, ...flags }, { io, json, connection, client }) {
    const { markdown, junit } = flags;
    assertOneFormat({ json, markdown, questions });
    const gate = {
      failOn: flags.fail_on,
      ignored: flags.ignore ?? new Map(),
      token: connection.token,
    };
    const label = say`Waiting for the webhooks that are due`;
    const found = await withProgress(io, { label, isSilent: json }, () => readReview(client));
    const look = { color: io.color, columns: io.columns, url: client.url };
    const failure = await applyGate(found, gate, {
      junit,
      json,
      io,
      print(review) {
        if (json) io.printJson(review);
        else if (markdown) io.print(toMarkdown(review, coreLanguage()));
        else if (questions) io.print(renderQuestions(review));
        else io.print(renderReview(review, look));
      },
    });
    if (failure) throw failure;
  },
  examples: [
    "report",
    ["report --fail-on error --junit review.xml", say`for continuous integration`],
  ],
});
