import { type Environment, VARIABLES } from "../wire/environment.ts";
import { type SandboxOptions, startSandbox } from "../server/start.ts";

export type { SandboxOptions };

/** The variable from which the workers' clients read the control token. */
const CONTROL_TOKEN = "PIX_SANDBOX_CONTROL_TOKEN";

/** The teardown of each setup: jest's global teardown is another module in the same process. */
const undo: (() => Promise<void>)[] = [];

/**
 * A global setup: one sandbox for all workers, until "pix-sandbox/jest/teardown" closes it. Workers and their
 * child processes inherit the same environment variables as from `pix-sandbox exec`.
 * With options, in a file of the project: `module.exports = sandboxSetup({ clock: "frozen" })`.
 */
export function sandboxSetup(options: SandboxOptions = {}): () => Promise<void> {
  return async () => {
    const sandbox = await startSandbox(options);
    const before = [...VARIABLES, CONTROL_TOKEN].map((name) => [name, process.env[name]] as const);
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
