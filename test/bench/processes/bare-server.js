/**
 * The server that the sandbox is compared with: the least that `node:http` needs to read a charge, parse
 * it and send a response with as many bytes as the sandbox's. It validates nothing and stores nothing.
 *
 *     node test/bench/processes/bare-server.js [--port 7490] [--repeat]
 *
 * With `--repeat` the response has the headers of a repeated call.
 */
import { createServer } from "node:http";
import { parseArgs } from "node:util";

const { port, repeat } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    repeat: { type: "boolean", default: false },
  },
}).values;

const BODY = JSON.stringify({
  id: "0b9d3f5e-6f0a-4c0e-9b1f-2d6f3a7c8e41",
  pix_id: "7d9f0c2b4a6e48f1b3c5d7e9f0a1b2c3",
  acquirer_id: "f3a1c5d7-8b2e-4d60-a9c4-1e7f5b3d9a20",
  qr_code:
    "00020101021226800014br.gov.bcb.pix2558pix-sandbox.example/qr/v2/7d9f0c2b4a6e48f1b3c5d7e9f0a1b2c3" +
    "5204000053039865802BR5912Loja Exemplo6009SAO PAULO62070503***6304DE3B",
});
const HEADERS = {
  "content-type": "application/json",
  ...(repeat && { "idempotent-replayed": "true" }),
  "content-length": BODY.length,
};

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, HEADERS).end(BODY);
  });
});

server.listen(Number(port), "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify(server.address())}\n`); // an object with its port
});
