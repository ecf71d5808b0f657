/** What to look at when an attempt had no answer, by what its reason says. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED/,
    "nothing listens there: is the app up, and on that port? To a container, localhost is the container itself; its host is host.docker.internal",
  ],
  [/ENOTFOUND|EAI_AGAIN/, "no such host: check the name"],
  [/EPROTO|wrong version number|packet length/i, "no HTTPS is spoken there: try http://"],
  [
    /CERT|certificate|UNABLE_TO_VERIFY/i,
    "the certificate is not trusted: use http:// locally, or start with NODE_EXTRA_CA_CERTS",
  ],
  [
    /ECONNRESET|socket hang up/,
    "the app closed the connection without an answer: see its log; or is it https:// that it speaks?",
  ],
  [/no connection within/, "packets are lost on the way: check address, firewall and proxy"],
  [/no answer within/, "the app takes long: answer first, then do the work"],
  [/Parse Error|HPE_/, "what answers there speaks no HTTP: check the port"],
];

/** What to check after an attempt that failed for that reason. */
export function adviceFor(reason: string): string | undefined {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
}
