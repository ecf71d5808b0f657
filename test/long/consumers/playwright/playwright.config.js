import { defineConfig } from "@playwright/test";

export default defineConfig({ testMatch: "*.example.js", reporter: "line", workers: 2 });
