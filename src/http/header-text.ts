import type { FieldError } from "../core/errors.ts";

/** A header's text without surrounding blanks. Its bytes arrive as Latin-1; clients that send UTF-8 mean UTF-8. */
export function headerText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value.trim();
  const bytes = Buffer.from(value, "latin1");
  const text = bytes.toString("utf8");
  return (text.includes("\ufffd") ? value : text).trim();
}

/** The error of a header that is sent more than once. */
export function repeatedHeader(field: string): FieldError {
  return {
    field,
    code: "INVALID_VALUE",
    message: {
      en: `The header ${field} is sent more than once; send it once.`,
      pt: `O cabeçalho ${field} foi enviado mais de uma vez; envie-o uma só vez.`,
    },
  };
}
