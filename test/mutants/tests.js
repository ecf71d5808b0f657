import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const RUNNER = fileURLToPath(new URL("runner.js", import.meta.url));

/** A warm test runner in the scratch copy; one that hangs is replaced. */
export class Tests {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #runner;
  /** @type {readonly string[]} All test files, absolute. */
  files = [];
  #root;
  #report;

  /** @param {string} root the scratch copy */
  constructor(root) {
    this.#root = root;
    this.#report = path.join(root, "covered.jsonl");
  }

  /**
   * Runs test files in this order.
   * @param {import("./runner.js").Request} request
   * @param {number} limitMs
   * @returns {Promise<import("./runner.js").Result | undefined>} undefined if time is up
   */
  async run(request, limitMs) {
    const runner = await this.#start();
    const answer = once(runner, "message").then(([result]) => result);
    runner.send(request);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, limitMs, undefined);
    });
    const result = await Promise.race([answer, late]);
    clearTimeout(timer);
    if (!result) this.close();
    return result;
  }

  /** Reads the marks that each test file has run since the last call. */
  readCovered() {
    if (!existsSync(this.#report)) return [];
    const lines = readFileSync(this.#report, "utf8").split("\n").filter(Boolean);
    rmSync(this.#report);
    return lines.map(
      (line) => /** @type {{ testPath: string, covered: string[] }} */ (JSON.parse(line)),
    );
  }

  close() {
    const { pid } = this.#runner ?? {};
    this.#runner = undefined;
    // The workers are in its group.
    if (pid) process.kill(-pid, "SIGKILL");
  }

  async #start() {
    if (this.#runner) return this.#runner;
    const env = { ...process.env, PIX_MUTANTS_REPORT: this.#report, NODE_ENV: "test" };
    const runner = fork(RUNNER, [], {
      cwd: this.#root,
      detached: true,
      env,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#runner = runner;
    const [{ files }] = await once(runner, "message");
    this.files = files;
    return runner;
  }
}
