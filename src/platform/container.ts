import { existsSync } from "node:fs";

/** The files by which Docker and Podman mark a container. */
const MARKS = ["/.dockerenv", "/run/.containerenv"];

/** Whether this process runs in a container, where `localhost` is not the machine. */
export function isInContainer(): boolean {
  return MARKS.some((file) => existsSync(file));
}
