import { readFileSync } from "node:fs";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { createSecureContext, TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { readDatabaseCopy } from "../../../src/store/postgres/database-copy.ts";
import { createCertificate } from "../../support/certificate.ts";
import { createFolder } from "../../support/folder.ts";
import { lacks } from "../../support/lacks.ts";

/** What PostgreSQL reports for a database that does not exist. */
const REFUSAL = "such a database does not exist";
const FIELDS = Buffer.from(`SFATAL\0VFATAL\0C3D000\0M${REFUSAL}\0\0`);

/** Connects with TLS to a server with a certificate for `name`. @returns why the state cannot be read */
async function connect(host: string, { mode, name }: { mode: string; name: string }) {
  await using folder = await createFolder();
  const [cert, key] = [folder.at("cert.pem"), folder.at("key.pem")];
  createCertificate(cert, key, name);
  const secureContext = createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    // The request for TLS.
    socket.once("data", () => {
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      secure.on("error", () => undefined);
      secure.once("data", () => {
        const length = Buffer.alloc(4);
        length.writeInt32BE(FIELDS.length + 4);
        secure.end(Buffer.concat([Buffer.from("E"), length, FIELDS]));
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const query = new URLSearchParams({ sslmode: mode, sslrootcert: cert });
  try {
    return await readDatabaseCopy(`postgres://me@${host}:${port}/db?${query.toString()}`).catch(
      String,
    );
  } finally {
    server.close();
  }
}

describe.skipIf(lacks("openssl"))("a server with TLS", () => {
  it.each([
    ["127.0.0.1", "IP:127.0.0.1"],
    ["localhost", "DNS:localhost"],
  ])("is accepted with verify-full at %s if its certificate is for %s", async (host, name) => {
    expect(await connect(host, { mode: "verify-full", name })).toContain(REFUSAL);
  });

  it.each([
    ["127.0.0.1", "DNS:localhost"],
    ["127.0.0.1", "DNS:127.0.0.1"],
    ["127.0.0.1", "IP:127.0.0.2"],
    ["localhost", "IP:127.0.0.1"],
    ["localhost", "DNS:db.example"],
  ])("is refused with verify-full at %s if its certificate is for %s", async (host, name) => {
    const failure = await connect(host, { mode: "verify-full", name });
    expect(failure).toContain("does not match certificate's altnames");
  });

  it("is accepted with verify-ca whatever name its certificate has", async () => {
    const failure = await connect("127.0.0.1", { mode: "verify-ca", name: "DNS:db.example" });
    expect(failure).toContain(REFUSAL);
  });
});
