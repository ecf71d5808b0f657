import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globalSetup: ["pix-sandbox/vitest/setup"], include: ["*.example.js"] },
});
