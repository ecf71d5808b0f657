import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

/** Finds the address of a picture; undefined: the sandbox serves it. In a trace there is no server. */
export const drawQrCode = signal<((address: string) => Promise<string>) | undefined>(undefined);

/** A QR code, black on white in every theme. The sandbox draws it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const address = `/_sandbox/qr.svg?${String(new URLSearchParams({ text }))}`;
  const draw = drawQrCode.value;
  const [drawn, setDrawn] = useState<string>();
  useEffect(() => void draw?.(address).then(setDrawn), [address, draw]);
  return <img class="qr" src={draw ? drawn : address} alt={label} data-testid="qr" />;
}
