import { defineConfig } from "vitest/config";

// Not among the projects of the repository: only `npm run screenshots` takes pictures.
export default defineConfig({ test: { include: ["test/screenshots/pictures.ts"] } });
