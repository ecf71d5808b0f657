/** Whether webhooks to this address go to a sandbox's own receiver, which is no merchant. */
export function isSinkUrl(url: string): boolean {
  return url.includes("/_sandbox/sink/");
}
