import { MemorySnapshots } from "../../src/store/memory.ts";
import { openSnapshots } from "../../src/store/file/snapshot-files.ts";
import { createFolder } from "../support/folder.ts";
import { testSnapshots } from "./snapshots-contract.ts";

testSnapshots("files", async () => {
  const folder = await createFolder();
  return {
    snapshots: await openSnapshots(folder.at("state.json")),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});

testSnapshots("memory", async () => ({
  snapshots: new MemorySnapshots(),
  async [Symbol.asyncDispose]() {},
}));
