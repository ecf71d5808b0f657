export default {
  globalSetup: "pix-sandbox/jest/setup",
  globalTeardown: "pix-sandbox/jest/teardown",
  testMatch: ["**/failing.jest.js"],
  transform: {},
};
