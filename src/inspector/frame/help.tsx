import { useEffect, useRef } from "preact/hooks";
import { isHelpOpen } from "../state/keys.ts";
import { t } from "../state/language.ts";

/** The list of keys. */
export function Help() {
  return isHelpOpen.value ? <HelpDialog /> : null;
}

function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      onClose={() => (isHelpOpen.value = false)}
      aria-labelledby="keys"
      data-testid="help"
    >
      <h2 id="keys">{t({ en: "Keys", pt: "Teclas" })}</h2>
      <dl class="keys">
        {keyTexts().map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">{t({ en: "Close", pt: "Fechar" })}</button>
      </form>
    </dialog>
  );
}

function keyTexts(): readonly (readonly [string, string])[] {
  return [
    ["j", t({ en: "next row", pt: "próxima linha" })],
    ["k", t({ en: "previous row", pt: "linha anterior" })],
    ["Enter", t({ en: "open", pt: "abrir" })],
    ["Esc", t({ en: "close, and return to the row", pt: "fechar e voltar à linha" })],
    ["p", t({ en: "pay the payin", pt: "pagar o payin" })],
    ["r", t({ en: "resend the webhook", pt: "reenviar o webhook" })],
    ["/", t({ en: "search", pt: "buscar" })],
    ["?", t({ en: "this list", pt: "esta lista" })],
  ];
}
