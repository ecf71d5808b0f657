export default {
  globalSetup: "pix-sandbox/jest/setup",
  globalTeardown: "pix-sandbox/jest/teardown",
  testMatch: ["<rootDir>/*.example.js"],
};
