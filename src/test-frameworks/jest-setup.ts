import { type Environment, VARIABLES } from "../wire/environment.ts";
import { type SandboxOptions, startSandbox } from "../server/start.ts";
import { removeTraces, TRACES_VARIABLE, tracesFolder } from "./failed-test.ts";

export type { SandboxOptions };

/** The variable from which the workers' clients read the control token. */
const CONTROL_TOKEN = "PIX_SANDBOX_CONTROL_TOKEN";

/** The part of jest's configuration that the setup reads. */
export interface JestConfig {
  readonly rootDir?: string;
  /** The file of the report, if jest writes one. */
  readonly outputFile?: string | undefined;
}

/** The teardown of each setup: jest's global teardown is another module in the same process. */
const undo: (() => Promise<void>)[] = [];

/**
 * A global setup: one sandbox for all workers, until "pix-sandbox/jest/teardown" closes it. Workers and their
 * child processes inherit the same environment variables as from `pix-sandbox exec`.
 * With options, in a file of the project: `module.exports = sandboxSetup({ clock: "frozen" })`.
 */
export function sandboxSetup(
  options: SandboxOptions = {},
): (globalConfig?: JestConfig) => Promise<void> {
  return async ({ rootDir = "", outputFile }: JestConfig = {}) => {
    const traces = tracesFolder(rootDir, outputFile);
    await removeTraces(traces);
    const sandbox = await startSandbox(options);
    const before = [...VARIABLES, CONTROL_TOKEN, TRACES_VARIABLE].map(
      (name) => [name, process.env[name]] as const,
    );
    undo.push(async () => {
      for (const [name, value] of before) setVariable(name, value);
      await sandbox.close();
    });
    const { controlToken } = options;
    const answer = await sandbox.fetch("/_sandbox/env", {
      ...(controlToken !== undefined && { headers: { authorization: `Bearer ${controlToken}` } }),
    });
    const environment = (await answer.json()) as Environment;
    for (const name of VARIABLES) setVariable(name, environment[name]);
    setVariable(CONTROL_TOKEN, controlToken);
    if (traces !== undefined) setVariable(TRACES_VARIABLE, traces);
  };
}

/** Closes the sandboxes of all setups. */
export async function sandboxTeardown(): Promise<void> {
  for (const close of undo.splice(0).toReversed()) await close();
}

/** The global setup with default options: `globalSetup: "pix-sandbox/jest/setup"`. */
export default sandboxSetup();

function setVariable(name: string, value: string | undefined): void {
  // An assignment would store the text "undefined".
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
