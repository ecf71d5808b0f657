/** The specification's shape of a CPF. */
export const CPF_SHAPE = /^\d{11}$/;

/** Whether the text has the specification's shape of a CPF: 11 digits. */
export function isCpfShape(text: string): boolean {
  return CPF_SHAPE.test(text);
}

/** Whether both check digits are right (weights 10…2 and 11…2, modulo 11) and the digits are not all the same. */
export function hasCpfCheckDigits(text: string): boolean {
  if (!isCpfShape(text) || /^(\d)\1{10}$/.test(text)) return false;
  return [9, 10].every((length) => {
    let sum = 0;
    for (let index = 0; index < length; index++) sum += Number(text[index]) * (length + 1 - index);
    return ((sum * 10) % 11) % 10 === Number(text[length]);
  });
}
