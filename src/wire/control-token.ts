/** Whether a text can be a control token: a header must be able to contain it as one word. */
export function isControlToken(text: string): boolean {
  return /^[!-~]+$/.test(text);
}
