import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globalSetup: ["./frozen-setup.js"], include: ["*.example.js"], pool: "threads" },
});
