import { expect, it } from "vitest";
import { Handler } from "../../../src/play/check-webhook/handler.ts";

it("waits for no handler that was stopped when the check is interrupted", async () => {
  let attempts = 0;
  const interrupted = new AbortController();
  const handler = new Handler(
    "http://localhost/hook",
    {
      post: async () => {
        attempts += 1;
        if (attempts === 2) interrupted.abort(new Error("Ctrl-C"));
        return { status: null, error: "refused", durationMs: 1 };
      },
    },
    60_000,
    interrupted.signal,
  );
  await expect(handler.answers()).rejects.toThrow("Ctrl-C");
  expect(attempts).toBe(2);
});
