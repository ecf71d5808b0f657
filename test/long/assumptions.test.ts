import { describeChanges } from "../assumptions/choices.ts";

describeChanges(1);
