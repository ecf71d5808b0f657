import { type Environment, VARIABLES } from "../core/environment.ts";
import { type SandboxOptions, startSandbox } from "../sandbox/start.ts";

export type { SandboxOptions };

/** What undoes each set-up: jest's tear-down is another module, in the same process. */
const undo: (() => Promise<void>)[] = [];

/**
 * A global set-up: one sandbox for all workers, that starts before the first test; "pix-sandbox/jest/teardown"
 * closes it after the last. Its variables are those of `exec`, which workers and what they start inherit.
 * With other options it is a file's own: `module.exports = sandboxSetup({ clock: "frozen" })`.
 */
export function sandboxSetup(options: SandboxOptions = {}): () => Promise<void> {
  return async () => {
    const sandbox = await startSandbox(options);
    const before = VARIABLES.map((name) => [name, process.env[name]] as const);
    undo.push(async () => {
      for (const [name, value] of before) setVariable(name, value);
      await sandbox.close();
    });
    const answer = await sandbox.fetch("/_sandbox/env");
    const environment = (await answer.json()) as Environment;
    for (const name of VARIABLES) setVariable(name, environment[name]);
  };
}

/** Closes what the set-ups have started. */
export async function sandboxTeardown(): Promise<void> {
  for (const close of undo.splice(0).toReversed()) await close();
}

/** The global set-up with nothing said: `globalSetup: "pix-sandbox/jest/setup"`. */
export default sandboxSetup();

function setVariable(name: string, value: string | undefined): void {
  // As text, undefined would be a value.
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
