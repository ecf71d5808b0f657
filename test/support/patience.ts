/** A wait that takes longer fails, instead of hanging. */
export const PATIENCE_MS = 30_000;
