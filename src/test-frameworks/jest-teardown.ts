/** The global tear-down: `globalTeardown: "pix-sandbox/jest/teardown"`. */
export { sandboxTeardown as default } from "./jest-setup.ts";
