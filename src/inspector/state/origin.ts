/** Where `serve` listens by default. */
export const DEFAULT_ADDRESS = "http://127.0.0.1:7490";

/** The sandbox's address. A trace is a file, which has none: it shows the usual one. */
export const ORIGIN = location.protocol === "file:" ? DEFAULT_ADDRESS : location.origin;
