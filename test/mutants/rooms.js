import { sourcesOf } from "./sample.js";

/**
 * The rooms with logic: their folders, and the share of mutants that the tests must kill. A file belongs to the room
 * that names the nearest folder.
 * @type {Record<string, { folders: readonly string[], target: number }>}
 */
export const ROOMS = {
  core: { folders: ["src/core", "src/text", "src/wire"], target: 0.95 },
  store: { folders: ["src/store"], target: 0.95 },
  delivery: { folders: ["src/delivery", "src/webhook-diagnosis"], target: 0.95 },
  http: { folders: ["src/http"], target: 0.95 },
  cli: { folders: ["src/cli"], target: 0.9 },
  start: { folders: ["src/server", "src/platform"], target: 0.9 },
  client: { folders: ["src/client", "src/test-frameworks"], target: 0.9 },
  // Its markup (*.tsx) takes no part.
  page: { folders: ["src/inspector"], target: 0.9 },
  review: { folders: ["src/review", "src/cli/review"], target: 0.9 },
  play: { folders: ["src/play"], target: 0.9 },
};

/**
 * @param {string} root
 * @param {string} room
 */
export function sourcesOfRoom(root, room) {
  const own = ROOMS[room];
  if (!own) throw new Error(`Unknown room "${room}". Use ${Object.keys(ROOMS).join(", ")}.`);
  return sourcesOf(root, "src").filter((file) => {
    const nearest = Object.values(ROOMS)
      .flatMap(({ folders }) => folders)
      .filter((folder) => file.startsWith(`${folder}/`))
      .toSorted((one, other) => other.length - one.length)[0];
    return nearest !== undefined && own.folders.includes(nearest);
  });
}
