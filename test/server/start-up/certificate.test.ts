import { once } from "node:events";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCertificate } from "../../../src/server/start-up/certificate.ts";
import { UnusableOptionError } from "../../../src/server/options/errors.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { createCertificate, hasOpenssl, openssl } from "../../support/certificate.ts";
import { createFolder } from "../../support/folder.ts";
import { english, translate } from "../../../src/text/languages.ts";

describe.skipIf(!hasOpenssl)("HTTPS with certificate files", { timeout: 60_000 }, () => {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  const at = (name: string): string => folder.at(name);
  beforeAll(async () => {
    folder = await createFolder();
    createCertificate(at("cert.pem"), at("key.pem"));
    createCertificate(at("other.pem"), at("other-key.pem"));
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it("serves exactly this certificate, without the option https", async () => {
    const [ca, other] = [await readFile(at("cert.pem")), await readFile(at("other.pem"))];
    await using sandbox = await startSandbox({ tlsCert: at("cert.pem"), tlsKey: at("key.pem") });
    expect(sandbox.url).toBe(`https://127.0.0.1:${sandbox.port}`);
    const get = (trusted: Buffer) =>
      once(
        https.get(`${sandbox.url}/_sandbox/health`, { ca: trusted, agent: false }),
        "response",
      ) as Promise<[IncomingMessage]>;
    const [answer] = await get(ca);
    expect(answer.statusCode).toBe(200);
    answer.resume();
    await expect(get(other)).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });

  it("reads files with other text, an RSA key in the old form, and a chain", async () => {
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-subj",
      "/CN=rsa",
      "-out",
      at("rsa.pem"),
      "-keyout",
      at("rsa8.pem"),
    );
    openssl("rsa", "-in", at("rsa8.pem"), "-traditional", "-out", at("rsa1.pem"));
    const key = await readFile(at("rsa1.pem"), "utf8");
    expect(key).toContain("BEGIN RSA PRIVATE KEY");
    const leaf = await readFile(at("rsa.pem"), "utf8");
    const bundle = `Bag Attributes\n${key}\nsubject=rsa\n${leaf}`;
    await writeFile(at("bundle.pem"), bundle);
    await appendFile(at("bundle.pem"), await readFile(at("other.pem")));
    const read = await readCertificate(at("bundle.pem"), at("bundle.pem"));
    expect(read.cert).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(read.cert.match(/BEGIN/g)).toHaveLength(2);
    expect(read.key).toBe(key.trim());
  });

  it.each([
    ["a missing certificate", "missing.pem", "key.pem", "tlsCert", "missing.pem cannot be read"],
    ["a missing key", "cert.pem", "missing.pem", "tlsKey", "missing.pem cannot be read"],
    [
      "a certificate that is not PEM",
      "text.pem",
      "key.pem",
      "tlsCert",
      "text.pem contains no valid certificate",
    ],
    [
      "a damaged certificate",
      "damaged.pem",
      "key.pem",
      "tlsCert",
      "damaged.pem contains no valid certificate",
    ],
    [
      "a key in the place of the certificate",
      "key.pem",
      "key.pem",
      "tlsCert",
      "key.pem contains no valid certificate",
    ],
    [
      "a certificate in the place of the key",
      "cert.pem",
      "cert.pem",
      "tlsKey",
      "cert.pem contains no valid private key",
    ],
    [
      "a damaged key",
      "cert.pem",
      "damaged-key.pem",
      "tlsKey",
      "damaged-key.pem contains no valid private key",
    ],
    [
      "an encrypted key",
      "cert.pem",
      "encrypted.pem",
      "tlsKey",
      "encrypted.pem is encrypted. Decrypt it",
    ],
    [
      "an encrypted key in the old form",
      "cert.pem",
      "encrypted1.pem",
      "tlsKey",
      "encrypted1.pem is encrypted. Decrypt it",
    ],
    [
      "the key of another certificate",
      "cert.pem",
      "other-key.pem",
      "tlsKey",
      "other-key.pem does not belong to the first certificate in",
    ],
  ])("refuses %s in a sentence with the file's name", async (_title, cert, key, option, reason) => {
    await writeFile(at("text.pem"), "hello");
    await writeFile(
      at("damaged.pem"),
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    );
    await writeFile(
      at("damaged-key.pem"),
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    );
    openssl(
      "pkey",
      "-in",
      at("key.pem"),
      "-aes256",
      "-passout",
      "pass:test",
      "-out",
      at("encrypted.pem"),
    );
    openssl(
      "ec",
      "-in",
      at("key.pem"),
      "-aes256",
      "-passout",
      "pass:test",
      "-out",
      at("encrypted1.pem"),
    );
    const secret = (await readFile(at("key.pem"), "utf8")).split("\n")[1] ?? "";
    const error = await startSandbox({ tlsCert: at(cert), tlsKey: at(key) }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(UnusableOptionError);
    const { option: wrong, text } = error as UnusableOptionError;
    expect(wrong).toBe(option);
    expect(english(text)).toContain(reason);
    expect(translate(text, "pt")).not.toContain(reason);
    expect(english(text) + translate(text, "pt")).not.toContain(secret);
  });
});

it.each([{ tlsCert: "cert.pem" }, { tlsKey: "key.pem" }])(
  "one certificate option needs the other: %j",
  async (options) => {
    await expect(startSandbox(options)).rejects.toThrow(
      /^The option tls\w+: It needs the option tls\w+ too\.$/,
    );
  },
);
