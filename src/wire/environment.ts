/** The environment variables that configure a program to call the sandbox as an integration. */
export const VARIABLES = [
  "PIX_SANDBOX_URL",
  "PIX_SANDBOX_BASE_URL",
  "PIX_SANDBOX_SECRET",
  "PIX_SANDBOX_TOKEN",
] as const;

export type Environment = Readonly<Record<(typeof VARIABLES)[number], string>>;
