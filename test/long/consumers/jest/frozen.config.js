export default {
  globalSetup: "./frozen-setup.js",
  globalTeardown: "pix-sandbox/jest/teardown",
  testMatch: ["<rootDir>/frozen.case.js"],
};
