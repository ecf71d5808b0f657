import { expect, it } from "vitest";
import { Handler } from "../../../src/play/check-webhook/handler.ts";

it("waits for no handler that was stopped when the check is interrupted", async () => {
  let attempts = 0;
  const handler = new Handler(
    "http://localhost/hook",
    {
      post: async () => {
        attempts += 1;
        if (attempts === 2) handler.abort(new Error("interrupted"));
        return { status: null, error: "refused", durationMs: 1 };
      },
      abort: () => undefined,
      close: () => undefined,
    },
    60_000,
  );
  await handler.answers();
  expect(attempts).toBe(2);
});
