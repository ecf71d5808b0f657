import { readText, sendRequest } from "../platform/http-request.ts";
import { type Environment, VARIABLES } from "../wire/names.ts";

/** The variables with which `exec` tells a program of a sandbox. A token that is set stays. */
export async function readVariables(
  url: string,
  controlToken = process.env["PIX_SANDBOX_CONTROL_TOKEN"],
): Promise<Environment> {
  const token = process.env["PIX_SANDBOX_TOKEN"];
  const headers = {
    ...(token && { "x-api-token": token }),
    ...(controlToken && { authorization: `Bearer ${controlToken}` }),
  };
  const answer = await sendRequest(`${url}/_sandbox/env`, { method: "GET", headers }, {});
  const all = JSON.parse(await readText(answer)) as Environment;
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
