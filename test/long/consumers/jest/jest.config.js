export default {
  testTimeout: 60_000,
  globalSetup: "pix-sandbox/jest/setup",
  globalTeardown: "pix-sandbox/jest/teardown",
  testMatch: ["<rootDir>/*.example.js"],
};
