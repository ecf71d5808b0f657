import { toIso } from "../../wire/timestamp.ts";
import { VERSION } from "../../wire/names.ts";
import { isLoopback } from "../../core/records/webhook-url.ts";
import type { Listening } from "../../http/faces/listen.ts";
import type { About } from "../../http/schemas/sandbox.ts";
import { networkAddresses } from "./network-addresses.ts";
import { PROGRAM } from "../../platform/program.ts";
import type { Settings } from "../options/options.ts";
import { placeOf } from "../options/state-kinds.ts";

export function describeSandbox(
  listening: Pick<Listening, "url" | "port" | "address">,
  {
    publicUrl: given,
    stateFile,
    explain,
    magic,
    controlToken,
  }: Pick<Settings, "publicUrl" | "stateFile" | "explain" | "magic" | "controlToken">,
  startedAtMs: number,
): About {
  const publicUrl = given?.replace(/\/+$/, "") ?? null;
  return {
    version: VERSION,
    url: listening.url,
    public_url: publicUrl,
    urls: [...(publicUrl === null ? [] : [publicUrl]), ...networkUrls(listening)],
    state_file: stateFile === undefined ? null : placeOf(stateFile, "."),
    explain,
    magic,
    protected: controlToken !== undefined,
    started_at: toIso(startedAtMs),
    program: PROGRAM,
  };
}

/** The URLs at which other machines of the network reach the server; none on a loopback address. */
export function networkUrls({
  url,
  port,
  address,
}: Pick<Listening, "url" | "port" | "address">): string[] {
  if (isLoopback(address)) return [];
  const { protocol } = new URL(url);
  if (address !== "0.0.0.0" && address !== "::") return [url];
  return networkAddresses("0.0.0.0").map((each) => `${protocol}//${each}:${port}`);
}
