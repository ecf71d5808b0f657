export default {
  testEnvironment: "./bare-environment.js",
  testMatch: ["<rootDir>/bare.case.js"],
};
