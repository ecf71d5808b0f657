import { openFolder } from "../../src/store/file/open.ts";
import type { OpenedState } from "../../src/store/storage.ts";
import { openStored, type StoreOptions } from "../../src/store/store.ts";

/** Opens the state in a file and the log beside it, as a start does. */
export async function openStateFile(
  file: string,
  options: StoreOptions = {},
): Promise<OpenedState> {
  return openStored(await openFolder(file, options.report), options);
}
