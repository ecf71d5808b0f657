import { writeFile } from "node:fs/promises";
import { defineOwnCommand } from "../definition/define-command.ts";
import { word } from "../definition/parameters.ts";
import { unwritableFile } from "../terminal/errors.ts";
import { pathIn } from "../terminal/io.ts";
import { say } from "../../text/message.ts";

export const traceCommand = defineOwnCommand("trace", {
  arguments: { file: word("file", say`the HTML file to write`) },
  async run({ file }, { io, json, client }) {
    const html = (await client.call("GET /trace", { as: "json" })).html;
    await writeFile(pathIn(io, file), html).catch((error: Error) => {
      throw unwritableFile(file, error, say`Create its folder, or choose another file.`);
    });
    if (json) io.printJson({ file });
    else io.print(say`Trace written to ${file}. Open it in a browser.`);
  },
  examples: ["trace trace.html", "trace trace.html --token shop-1"],
});
