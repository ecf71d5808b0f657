/** The variables that tell a program which sandbox to call, and as whom. */
export const VARIABLES = [
  "PIX_SANDBOX_URL",
  "PIX_SANDBOX_BASE_URL",
  "PIX_SANDBOX_SECRET",
  "PIX_SANDBOX_TOKEN",
] as const;

export type Environment = Readonly<Record<(typeof VARIABLES)[number], string>>;
