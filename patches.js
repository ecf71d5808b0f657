/** Corrections of dependencies, for the bundle and for tests, which run the source. */

const NEXT_WRITE = "    const x = socket.write(chunk, fn)\n";

/**
 * The driver writes to a connection that the database has just closed, which ends the process: nothing can catch it
 * (porsager/postgres, issue 1208). With this, the statement fails like any other whose connection was lost.
 */
export const postgresWrites = {
  name: "postgres-writes",
  transform: {
    filter: { id: /node_modules\/postgres\/.*connection\.js$/ },
    handler: (/** @type {string} */ code) => {
      if (!code.includes(NEXT_WRITE))
        throw new Error("The driver has changed: look at patches.js.");
      return code.replace(
        NEXT_WRITE,
        `    if (socket === null) {
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options, socket))
      return false
    }
${NEXT_WRITE}`,
      );
    },
  },
};
