import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["pix-sandbox/vitest/setup"],
    include: ["*.example.js"],
    maxWorkers: 8,
    minWorkers: 8,
    testTimeout: 60_000,
  },
});
