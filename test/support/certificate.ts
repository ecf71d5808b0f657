import { execFileSync } from "node:child_process";

/** Runs openssl, and fails with its output if it fails. */
export function openssl(...args: readonly string[]): void {
  execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** Creates a self-signed certificate, by default for 127.0.0.1 and localhost, and its key. */
export function createCertificate(
  certFile: string,
  keyFile: string,
  name = "IP:127.0.0.1,DNS:localhost",
): void {
  const kind = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
  const names = `-subj /CN=pix.test -addext subjectAltName=${name}`;
  openssl(...`${kind} ${names}`.split(" "), "-out", certFile, "-keyout", keyFile);
}
