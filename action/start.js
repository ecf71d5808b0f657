// The action's first half: starts the sandbox, waits until it is ready, and exports its environment.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { annotate, findCommand, run, tell } from "./program.js";

const START_MS = 60_000;
const POLL_MS = 50;

const command = findCommand();
if (command === undefined) {
  annotate(
    "error",
    "pix-sandbox is not installed",
    "Add it to the project's development dependencies, and install them in a step before this one.",
  );
  process.exit(1);
}
const folder = mkdtempSync(path.join(process.env["RUNNER_TEMP"] ?? os.tmpdir(), "pix-sandbox-"));
const [readyFile, log] = ["ready.json", "log.txt"].map((name) => path.join(folder, name));
const options = (process.env["INPUT_OPTIONS"] ?? "").split(/\s+/).filter(Boolean);

const traces = process.env["INPUT_TRACES"] === "false" ? undefined : path.join(folder, "traces");
if (traces !== undefined) mkdirSync(traces);

const out = openSync(log, "a");
const [program, ...before] = command;
const serving = spawn(
  program,
  [
    ...before,
    "serve",
    "--memory",
    "--port",
    "0",
    "--ready-file",
    readyFile,
    ...(traces === undefined ? [] : ["--trace", path.join(traces, "sandbox.html")]),
    ...options,
  ],
  { detached: true, stdio: ["ignore", out, out] },
);
serving.on("error", () => {}); // It has no ready file then.

const deadline = Date.now() + START_MS;
while (!existsSync(readyFile) && serving.exitCode === null && Date.now() < deadline)
  await setTimeout(POLL_MS);

if (existsSync(readyFile)) {
  const { url, base_url: baseUrl, pid } = JSON.parse(readFileSync(readyFile, "utf8"));
  tell("GITHUB_STATE", `pid=${pid}\nurl=${url}\nlog=${log}`);
  tell("GITHUB_OUTPUT", `url=${url}\nbase-url=${baseUrl}`);
  tell("GITHUB_ENV", run(command, ["env", "--plain", "--url", url]).stdout);
  if (traces !== undefined) {
    tell("GITHUB_STATE", `traces=${traces}`);
    // The tests that fail leave their traces there too.
    tell("GITHUB_ENV", `PIX_SANDBOX_TRACES=${traces}`);
  }
  process.stdout.write(`pix-sandbox is ready: ${baseUrl}\n`);
} else {
  annotate(
    "error",
    "pix-sandbox did not start",
    readFileSync(log, "utf8") || "It printed nothing.",
  );
  process.exitCode = 1;
}
serving.unref();
