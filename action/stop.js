// The action's second half, at the end of the job: the review as summary and annotations, the traces as an
// artifact, then the end of the sandbox.
import { readFileSync } from "node:fs";
import path from "node:path";
import { annotate, findCommand, run, tell } from "./program.js";
import { uploadTraces } from "./upload-traces.js";

const { STATE_pid: pid, STATE_url: url, STATE_log: log, STATE_traces: traces } = process.env;
if (url !== undefined) {
  const failOn = process.env["INPUT_FAIL-ON"];
  const command = findCommand();
  const at = ["--url", url];
  const gate = failOn ? ["--fail-on", failOn] : [];
  const judged = run(command, ["report", "--json", ...at, ...gate]);
  tell("GITHUB_STEP_SUMMARY", run(command, ["report", "--markdown", ...at]).stdout);
  for (const { id, verdict, says } of rulesOf(judged.stdout)) {
    if (verdict === "fail") annotate("error", id, says);
    if (verdict === "warning") annotate("warning", id, says);
  }
  process.stdout.write(
    `::group::pix-sandbox's log\n${readFileSync(log, "utf8").replace(/^::/gm, " ::")}\n::endgroup::\n`,
  );
  if (failOn && judged.status !== 0) {
    annotate("error", "The review of the integration", judged.stderr.trim());
    process.exitCode = 1;
  }
  if (traces !== undefined) {
    run(command, ["trace", path.join(traces, "sandbox.html"), ...at]);
    try {
      const name = await uploadTraces(traces);
      if (name !== undefined) process.stdout.write(`Traces are in the artifact ${name}.\n`);
    } catch (error) {
      annotate("warning", "The traces were not uploaded", error.message);
    }
  }
  try {
    process.kill(Number(pid), "SIGTERM");
  } catch {
    // A step has stopped it.
  }
}

/** The rules of a report; none if the sandbox could not be asked. */
function rulesOf(text) {
  try {
    return JSON.parse(text).rules;
  } catch {
    return [];
  }
}
