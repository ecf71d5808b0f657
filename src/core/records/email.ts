import type { Assumptions } from "../assumptions/table.ts";

/** The form that HTML and most gateways accept: one @, no blanks, a dotted domain, ASCII only. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]*[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/;

export function isEmail(text: string, size: Assumptions["email.size"]): boolean {
  return EMAIL.test(text) && (size === "any" || text.length <= 77);
}
