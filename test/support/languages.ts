import { loadLanguages } from "../../src/text/languages.ts";

await loadLanguages();
