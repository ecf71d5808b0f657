import { readBrCode } from "../../core/records/br-code.ts";
import { t } from "../state/language.ts";
import { about } from "../state/sandbox.ts";
import { trace } from "../state/trace.ts";
import type { WirePayin } from "../state/wire.ts";
import { CopyButton } from "./copy.tsx";
import { Prose } from "./prose.tsx";
import { QrCode } from "./qr-code.tsx";
import { Outside } from "./text.tsx";
import { say } from "../../text/message.ts";
import { ORIGIN } from "../state/origin.ts";

/** A payin's code: as a picture to scan, to copy, and field by field; and the page on which a payer pays it. */
export function BrCode({ payin }: { readonly payin: WirePayin }) {
  const { id, qr_code: code, status } = payin;
  return (
    <section class="br-code">
      <h3 class="part">{status === "waiting" ? t(say`Pay it`) : t(say`Code`)}</h3>
      <div class="code-and-text">
        {/* A trace serves no picture and no page. */}
        {!trace && <QrCode text={code} label={t(say`QR code of this payin`)} />}
        <div>
          <span class="small-text dim">{t(say`Pix copy and paste`)}</span>
          <div class="one-line">
            <code class="cut" title={code}>
              {code}
            </code>
            <CopyButton text={code} label={t(say`Copy the code`)} caption={t(say`Copy`)} />
          </div>
          {!trace && <PayerPage id={id} />}
          <Fields code={code} />
        </div>
      </div>
    </section>
  );
}

function Fields({ code }: { readonly code: string }) {
  const { fields, defect } = readBrCode(code);
  return (
    <details>
      <summary>{t(say`Field by field`)}</summary>
      {defect && (
        <p class="error">
          {t(defect.text)} {defect.advice && t(defect.advice)} {defect.mended}
        </p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">{t(say`Id`)}</th>
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
  );
}

/** The payer's page; a phone that can reach the sandbox opens it from the QR code. */
function PayerPage({ id }: { readonly id: string }) {
  const path = `/_sandbox/pay/${id}`;
  const [reachable] = about.value?.urls ?? [];
  const address = `${reachable ?? ORIGIN}${path}`;
  return (
    <>
      <p>
        <a href={path} target="_blank" rel="noreferrer" data-testid="payer-page">
          {t(say`Payer's page`)}
        </a>
        <CopyButton text={address} label={t(say`Copy the address`)} />
      </p>
      {reachable === undefined ? (
        <small>
          <Prose
            text={t(
              say`A phone can open it if the sandbox is started with \`--host 0.0.0.0\` or \`--public-url\`.`,
            )}
          />
        </small>
      ) : (
        <details>
          <summary>{t(say`Open it on a phone`)}</summary>
          <QrCode text={address} label={t(say`Address of the payer's page`)} />
          <code class="anywhere">{address}</code>
        </details>
      )}
    </>
  );
}
