import { sandboxSetup } from "pix-sandbox/vitest/setup";

export default sandboxSetup({ clock: "frozen" });
