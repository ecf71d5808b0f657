export const CPF_SHAPE = /^\d{11}$/;

/** Whether the text has the specification's shape of a CPF: 11 digits. */
export function isCpfShape(text: string): boolean {
  return CPF_SHAPE.test(text);
}

/** Whether both check digits are right and the digits are not all the same. */
export function hasCpfCheckDigits(text: string): boolean {
  if (!isCpfShape(text) || /^(\d)\1{10}$/.test(text)) return false;
  return withCheckDigits(text.slice(0, 9)) === text;
}

/** Appends both check digits to nine digits (weights 10…2 and 11…2, modulo 11). */
export function withCheckDigits(nine: string): string {
  let text = nine;
  for (const length of [9, 10]) {
    let sum = 0;
    for (let index = 0; index < length; index++) sum += Number(text[index]) * (length + 1 - index);
    text += ((sum * 10) % 11) % 10;
  }
  return text;
}
