/**
 * What the sandbox is measured against: the least that `node:http` needs to read a charge, parse it
 * and answer bytes of the same size. It checks and remembers nothing, and every GET is answered the
 * same, so that its first answer after the start can be measured too.
 */
import { createServer } from "node:http";

const ANSWER = JSON.stringify({
  id: "0b9d3f5e-6f0a-4c0e-9b1f-2d6f3a7c8e41",
  pix_id: "7d9f0c2b4a6e48f1b3c5d7e9f0a1b2c3",
  acquirer_id: "f3a1c5d7-8b2e-4d60-a9c4-1e7f5b3d9a20",
  qr_code:
    "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/7d9f0c2b4a6e48f1b3c5d7e9f0a1b2c3" +
    "5204000053039865802BR5912LOJA EXEMPLO6009SAO PAULO62070503***6304DE3B",
});
const HEADERS = { "content-type": "application/json", "content-length": ANSWER.length };

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, HEADERS).end(ANSWER);
  });
});

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify(server.address())}\n`); // its port among the rest
});
