/** In a tab the globals are the main context's, and no test replaces them. */
export const mainGlobals = globalThis;
