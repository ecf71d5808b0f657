import { VERSION } from "../../version.ts";
import { toAnswer } from "../envelope.ts";

/** `GET /_sandbox/health`: answered once the sandbox is ready; the first route that a start needs, and the only one. */
export async function health(): Promise<Response> {
  return toAnswer({ status: "ok", version: VERSION });
}
