/** The files beside a state file by which its sandboxes find each other are no part of the state. */
export function isLock(name: string): boolean {
  return /\.[0-9a-f]{8}\.(?:sock|lock)$/.test(name);
}
