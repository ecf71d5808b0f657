import { expect, it } from "vitest";
import { isFile, openerOf } from "../../src/sandbox/state-kinds.ts";
import { openStateFileAndSnapshots } from "../../src/store/state-file.ts";

it.each(["state.json", "/tmp/state.json", "C:\\state.json", "unknown://host/name"])(
  "the state %s is a file",
  async (state) => {
    expect(isFile(state)).toBe(true);
    expect(await openerOf(state)).toBe(openStateFileAndSnapshots);
  },
);
