import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["pix-sandbox/vitest/setup"],
    include: ["failing.vitest.js"],
    reporters: ["default", "junit"],
    outputFile: { junit: "reports/junit.xml" },
  },
});
