import { sandboxSetup } from "pix-sandbox/jest/setup";

export default sandboxSetup({ clock: "frozen", now: new Date("2026-12-24T12:00:00Z") });
