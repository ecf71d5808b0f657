import { describeFaces } from "./equal-faces.ts";

// test/long/equal-faces.test.ts takes all of them.
describeFaces(6);
