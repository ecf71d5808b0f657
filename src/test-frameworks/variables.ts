import { type Environment, VARIABLES } from "../wire/environment.ts";

/** The variables with which `exec` tells a program of a sandbox. */
export async function readVariables(
  sandbox: { fetch(path: string, init?: RequestInit): Promise<Response> },
  controlToken?: string,
): Promise<Environment> {
  const answer = await sandbox.fetch("/_sandbox/env", {
    ...(controlToken !== undefined && { headers: { authorization: `Bearer ${controlToken}` } }),
  });
  const all = (await answer.json()) as Environment;
  return Object.fromEntries(VARIABLES.map((name) => [name, all[name]])) as Environment;
}

/** Sets environment variables, or removes them. @returns what restores them */
export function setVariables(values: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  for (const [name, value] of Object.entries(values)) setVariable(name, value);
  return () => {
    for (const [name, value] of before) setVariable(name, value);
  };
}

function setVariable(name: string, value: string | undefined): void {
  // An assignment would store the text "undefined".
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
