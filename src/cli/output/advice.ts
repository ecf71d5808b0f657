import { isInContainer } from "../../platform/folders.ts";
import { UNTRUSTED_CERTIFICATE } from "../../platform/http-request.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say } from "../../text/message.ts";

const REFUSED = say`connection refused: does the app run, and listen on that port?`;
const REFUSED_IN_CONTAINER = say`${REFUSED} If it runs outside this container: --webhook-host-rewrite localhost=host.docker.internal`;
/** To this machine: in a container, that is the container itself. */
const LOCALLY_REFUSED = /ECONNREFUSED (?:127\.|\[::1\])/;

const ADVICE: readonly (readonly [RegExp, Message])[] = [
  [/ECONNREFUSED/, REFUSED],
  [/ENOTFOUND|EAI_AGAIN/, say`unknown host: check the name`],
  [
    /EPROTO(?!.*alert)|wrong version number|packet length/i,
    say`the server does not speak HTTPS: try http://`,
  ],
  [
    UNTRUSTED_CERTIFICATE,
    say`the certificate is not trusted: start the sandbox with --webhook-insecure, or with NODE_EXTRA_CA_CERTS`,
  ],
  [
    /ECONNRESET|socket hang up/,
    say`the app closed the connection without a response: see its log, or try https://`,
  ],
  [/no connection within/, say`no connection in time: check address, firewall and proxy`],
  [/no answer within/, say`the app is slow: respond first, then do the work`],
  [/Parse Error|HPE_/, say`the server does not speak HTTP: check the port`],
];

/** The statuses by which an app often refuses a signature. */
export const SIGNATURE_STATUSES: ReadonlySet<number> = new Set([400, 401, 403]);
export const VERIFY_STEP: Message = say`if the app refused the signature: ${PROGRAM} webhooks verify FILE, with the request that it received`;

export function adviceFor(reason: string, isContained = isInContainer()): Message | undefined {
  if (isContained && LOCALLY_REFUSED.test(reason)) return REFUSED_IN_CONTAINER;
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
}
