/**
 * Marks the gateway calls of the sandbox's own commands and of the test API, such as `payin create`: they are not the
 * merchant's, so the reviewer does not judge them.
 */
export const OWN_CLIENT_HEADER = "x-sandbox-client";
