import { describeKilledResets } from "../support/killed-resets.ts";

describeKilledResets([0, 1, 2, 3, 4, 5]);
