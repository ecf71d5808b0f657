import type { LocalizedText } from "../../text/localized-text.ts";
import { PROGRAM } from "../../platform/program.ts";

/** Advice by the error of an attempt. */
const ADVICE: readonly (readonly [RegExp, LocalizedText])[] = [
  [
    /ECONNREFUSED/,
    {
      en: "connection refused: check that the app runs and listens on that port; inside a container, use host.docker.internal instead of localhost",
      pt: "conexão recusada: confira se o app está no ar e escuta nessa porta; dentro de um contêiner, use host.docker.internal em vez de localhost",
    },
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    { en: "unknown host: check the name", pt: "host desconhecido: confira o nome" },
  ],
  [
    /EPROTO(?!.*alert)|wrong version number|packet length/i,
    {
      en: "the server does not speak HTTPS: try http://",
      pt: "o servidor não fala HTTPS: tente http://",
    },
  ],
  [
    /CERT|certificate|UNABLE_TO_VERIFY/i,
    {
      en: "the certificate is not trusted: use http:// locally, or start with NODE_EXTRA_CA_CERTS",
      pt: "o certificado não é confiável: use http:// localmente, ou inicie com NODE_EXTRA_CA_CERTS",
    },
  ],
  [
    /ECONNRESET|socket hang up/,
    {
      en: "the app closed the connection without a response: see its log, or try https://",
      pt: "o app fechou a conexão sem responder: veja o log dele, ou tente https://",
    },
  ],
  [
    /no connection within/,
    {
      en: "no connection in time: check address, firewall and proxy",
      pt: "sem conexão a tempo: confira endereço, firewall e proxy",
    },
  ],
  [
    /no answer within/,
    {
      en: "the app is slow: respond first, then do the work",
      pt: "o app demora: responda primeiro, depois faça o trabalho",
    },
  ],
  [
    /Parse Error|HPE_/,
    {
      en: "the server does not speak HTTP: check the port",
      pt: "o servidor não fala HTTP: confira a porta",
    },
  ],
];

/** The statuses by which an app often refuses a signature. */
export const SIGNATURE_STATUSES: ReadonlySet<number> = new Set([400, 401, 403]);
export const VERIFY_STEP: LocalizedText = {
  en: `if the app refused the signature: ${PROGRAM} webhooks verify FILE, with the request that it received`,
  pt: `se o app recusou a assinatura: ${PROGRAM} webhooks verify ARQUIVO, com a requisição que ele recebeu`,
};

/** The advice for a failed attempt. */
export function adviceFor(reason: string): LocalizedText | undefined {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
}
