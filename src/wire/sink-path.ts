/** The addresses of a sandbox's own webhook receiver begin with this path; a name follows. */
export const SINK_PATH = "/_sandbox/sink/";

/** Whether webhooks to this address go to a sandbox's own receiver, which is no merchant. */
export function isSinkUrl(url: string): boolean {
  return url.includes(SINK_PATH);
}
