/** A QR code, black on white in every theme. The sandbox draws it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const address = `/_sandbox/qr.svg?${String(new URLSearchParams({ text }))}`;
  return <img class="qr" src={address} alt={label} data-testid="qr" />;
}
