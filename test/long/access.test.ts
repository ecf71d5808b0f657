import { describeAccess, LOOKS } from "../inspector/access.ts";

const { "en-US": wide } = LOOKS;

// `npm test` has the other language.
describeAccess(process.env["PIX_TEST_LONG"] === "short" ? { "en-US": wide.slice(0, 1) } : LOOKS, {
  isFull: true,
});
