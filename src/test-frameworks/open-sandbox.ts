import { connect, type ConnectedSandbox, connectTo } from "../client/connect.ts";
import { readText, sendRequest } from "../platform/http-request.ts";
import type { SandboxOptions } from "../server/options/options.ts";
import { type Environment, VARIABLES } from "../wire/names.ts";

/** The sandbox of a run of tests. */
export interface OpenedSandbox {
  readonly sandbox: ConnectedSandbox;
  /** With them the code under test finds it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Stops it if it was started here. */
  readonly close: () => Promise<void>;
}

/**
 * Connects to the sandbox at `PIX_SANDBOX_URL`. Starts one if the variable is not set, or if there are options.
 * @throws TypeError if no sandbox responds there.
 */
export async function openSandbox(options?: SandboxOptions): Promise<OpenedSandbox> {
  const url = process.env["PIX_SANDBOX_URL"];
  if (url && !options) {
    const sandbox = await connectTo(url);
    const variables = await readVariables(sandbox.url);
    return { sandbox, variables, close: async () => undefined };
  }
  const { startSandbox } = await import("../server/start.ts");
  const started = await startSandbox(options);
  const controlToken = options?.controlToken;
  return {
    sandbox: connect({ ...started, controlToken }),
    variables: {
      ...(await readVariables(started.url, controlToken)),
      ...(controlToken !== undefined && { PIX_SANDBOX_CONTROL_TOKEN: controlToken }),
    },
    close: () => started.close(),
  };
}

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

/** Sets environment variables. @returns what restores them */
export function setVariables(values: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, process.env[name]]));
  for (const [name, value] of Object.entries(values))
    // An assignment would store the text "undefined".
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  return () => void setVariables(before);
}
