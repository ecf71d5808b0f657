import { type Language, translate } from "../languages.ts";
import { say } from "../message.ts";

/** The words of a charge's code with a button that copies it. */
export function copyFieldWords(language: Language) {
  return {
    label: translate(say`Pix copy and paste`, language),
    copy: translate(say`Copy the code`, language),
    copied: translate(say`Copied`, language),
  };
}
