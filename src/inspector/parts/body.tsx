export function Body({ text, label }: { readonly text: string; readonly label: string }) {
  return <pre aria-label={label}>{text}</pre>;
}
