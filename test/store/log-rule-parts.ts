/** The parts of the store that the model of the log's rule runs: they are bundled from here, and never imported. */
export { Folder } from "../../src/store/file/folder.ts";
export { openStored } from "../../src/store/store.ts";
