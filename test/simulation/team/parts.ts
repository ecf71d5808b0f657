/** The parts of a process of a team that run in a simulation: they are bundled from here, and never imported. */
export { NotLeadingError } from "../../../src/core/state/ports.ts";
export { pause } from "../../../src/platform/pause.ts";
export { startMember } from "../../../src/server/team/member.ts";
export { PostgresJournal } from "../../../src/store/postgres/postgres-journal.ts";
export { readAll } from "../../../src/store/journaled/read-all.ts";
