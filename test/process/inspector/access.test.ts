import { describeAccess, LOOKS } from "../../inspector/access.ts";

// The narrowest look in the language of longer words; test/long/access.test.ts has all.
describeAccess({ "pt-BR": LOOKS["pt-BR"] }, { isFull: false });
