import { explainBrCode } from "../../core/records/br-code-explanation.ts";
import { t } from "../state/language.ts";
import { CopyButton } from "./copy.tsx";
import { QrCode } from "./qr-code.tsx";
import { Outside } from "./text.tsx";
import { say } from "../../text/message.ts";

/** A payin's code: as a picture, to copy, and field by field. */
export function BrCode({ code }: { readonly code: string }) {
  const { fields } = explainBrCode(code);
  return (
    <section class="br-code">
      <h3>BR Code</h3>
      <div class="code-and-text">
        <QrCode text={code} label={t(say`QR code of this payin`)} />
        <div>
          <code class="whole-code">{code}</code>
          <CopyButton text={code} label={t(say`Copy the code`)} caption={t(say`Copy`)} />
        </div>
      </div>
      <details>
        <summary>{t(say`Field by field`)}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Id</th>
              <th scope="col">{t(say`Name`)}</th>
              <th scope="col">{t(say`Value`)}</th>
            </tr>
          </thead>
          <tbody>
            {fields
              .filter(({ isTemplate }) => !isTemplate)
              .map(({ id, name, value, note }) => (
                <tr key={id}>
                  <td>
                    <code>{id}</code>
                  </td>
                  <td>{t(name)}</td>
                  <td>
                    <Outside text={value ?? ""} /> {note && <small>({t(note)})</small>}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
