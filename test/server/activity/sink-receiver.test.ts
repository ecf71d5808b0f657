import { describe, expect, it } from "vitest";
import { Sink } from "../../../src/http/context/sink.ts";
import { OwnAddresses } from "../../../src/server/activity/own-addresses.ts";
import { receiveInSink } from "../../../src/server/activity/sink-receiver.ts";

/** The name of the sink that receives a webhook to an address; undefined if it is sent over the network. */
function sinkOf(address: string, ownUrl: string, publicUrl?: string): string | undefined {
  const received: string[] = [];
  const sink = new Sink({
    keep: 10,
    sandboxNowMs: () => 0,
    integrationOf: () => null,
    verify: () => null,
  });
  sink.receive = ({ sink: name }) => void received.push(name);
  const own = new OwnAddresses({
    listening: () => ({ url: ownUrl, address: "127.0.0.1" }),
    publicUrl,
    allowedHosts: [],
    hasHost: () => false,
  });
  const response = receiveInSink(sink, own)(new URL(address), { headers: {}, body: "{}" });
  expect(response?.status).toBe(received.length === 0 ? undefined : 200);
  return received[0];
}

describe("a webhook to the sandbox's own sink", () => {
  it.each([
    ["http://127.0.0.1:7490/_sandbox/sink/a", "http://127.0.0.1:7490"],
    ["http://localhost:7490/_sandbox/sink/a", "http://127.0.0.1:7490"],
    ["http://Shop.LOCALHOST.:7490/_sandbox/sink/a", "http://127.0.0.1:7490"],
    ["http://[::1]:7490/_sandbox/sink/a", "http://127.0.0.1:7490"],
    ["http://127.9.9.9:7490/_sandbox/sink/a", "http://[::1]:7490"],
    ["http://192.168.0.7:7490/_sandbox/sink/a", "http://192.168.0.7:7490"],
    ["http://localhost/_sandbox/sink/a", "http://localhost:80"],
    ["https://localhost/_sandbox/sink/a", "https://127.0.0.1:443"],
    ["https://localhost:80/_sandbox/sink/a", "http://127.0.0.1"],
    ["http://localhost:443/_sandbox/sink/a", "https://127.0.0.1"],
  ])("to %s stays in the process of %s", (address, own) => {
    expect(sinkOf(address, own)).toBe("a");
  });

  it.each([
    ["http://127.0.0.1:7491/_sandbox/sink/a", "http://127.0.0.1:7490"],
    ["http://localhost/_sandbox/sink/a", "https://localhost"],
    ["http://notlocalhost:7490/_sandbox/sink/a", "http://127.0.0.1:7490"],
    ["http://localhost.example:7490/_sandbox/sink/a", "http://127.0.0.1:7490"],
    ["http://192.168.0.8:7490/_sandbox/sink/a", "http://192.168.0.7:7490"],
    ["http://127.0.0.1:7490/hook", "http://127.0.0.1:7490"],
    ["http://127.0.0.1:7490/_sandbox/sink/a/b", "http://127.0.0.1:7490"],
  ])("to %s leaves that of %s", (address, own) => {
    expect(sinkOf(address, own)).toBeUndefined();
  });

  it("stays in its process by the public URL's host", () => {
    const own = "http://127.0.0.1:7490";
    const publicUrl = "https://pix.example/path";
    expect(sinkOf("https://pix.example/_sandbox/sink/a", own, publicUrl)).toBe("a");
    expect(sinkOf("https://pix.example:8443/_sandbox/sink/a", own, publicUrl)).toBeUndefined();
    expect(sinkOf("https://pix.example/_sandbox/sink/a", own)).toBeUndefined();
  });
});
