/** Removes the byte order mark that some editors and shells write before a text; JSON does not allow it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
