import { describeRestarts } from "../support/restarted-sandboxes.ts";

describeRestarts(process.env["PIX_TEST_LONG"] === "short" ? 150 : 1000);
