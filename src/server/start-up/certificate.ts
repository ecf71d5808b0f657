import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Certificate } from "../../http/faces/listen.ts";
import { unreadable } from "../../text/file-reason.ts";
import { UnusableOptionError } from "../options/errors.ts";
import { type Message, say } from "../../text/message.ts";

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----.*?-----END (?:[A-Z]+ )*PRIVATE KEY-----/s;
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/**
 * Reads a server's certificate and its key. Either file may contain other text and other PEM blocks too.
 * @throws UnusableOptionError that names the file, if the two cannot be used together.
 */
export async function readCertificate(certFile: string, keyFile: string): Promise<Certificate> {
  const chain = (await read("tlsCert", certFile)).match(CERTIFICATES) ?? [];
  const leaf = readLeaf(chain, certFile);
  const [key = ""] = PRIVATE_KEY.exec(await read("tlsKey", keyFile)) ?? [];
  if (!leaf.checkPrivateKey(readKey(key, keyFile)))
    throw unusable(
      "tlsKey",
      say`The key in ${keyFile} does not belong to the first certificate in ${certFile}. Use the key that the certificate was made with, and put the server's certificate before those of its authorities.`,
    );
  const certificate = { cert: chain.join("\n"), key };
  try {
    createSecureContext(certificate);
  } catch (error) {
    const { message } = error as Error;
    throw unusable(
      "tlsCert",
      say`The certificate in ${certFile} cannot be used for TLS: ${message}. Create another one.`,
    );
  }
  return certificate;
}

function readLeaf(chain: readonly string[], file: string): X509Certificate {
  try {
    const [leaf] = chain.map((block) => new X509Certificate(block));
    if (leaf) return leaf;
  } catch {
    // The same refusal.
  }
  throw unusable(
    "tlsCert",
    say`${file} contains no valid certificate in PEM. Such a file contains the line -----BEGIN CERTIFICATE-----.`,
  );
}

function readKey(key: string, file: string): KeyObject {
  if (ENCRYPTED.test(key))
    throw unusable(
      "tlsKey",
      say`The private key in ${file} is encrypted. Decrypt it into another file with: openssl pkey -in FILE -out OTHER.`,
    );
  try {
    return createPrivateKey(key);
  } catch {
    // Its error is one of OpenSSL, and says no more.
    throw unusable(
      "tlsKey",
      say`${file} contains no valid private key in PEM. Such a file contains the line -----BEGIN PRIVATE KEY-----.`,
    );
  }
}

async function read(option: "tlsCert" | "tlsKey", file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = unreadable(error as Error);
    throw unusable(
      option,
      say`${file} cannot be read: ${reason}. Use an existing file that this process may read.`,
    );
  }
}

function unusable(option: "tlsCert" | "tlsKey", reason: Message): UnusableOptionError {
  return new UnusableOptionError(option, reason);
}
