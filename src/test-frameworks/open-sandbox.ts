import { connect, type ConnectedSandbox, connectTo } from "../client/connect.ts";
import type { SandboxOptions } from "../server/options/options.ts";
import { readVariables } from "./variables.ts";

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
