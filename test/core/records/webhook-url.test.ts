import { describe, expect, it } from "vitest";
import { isLinkLocal, isLoopback, isWebhookUrl } from "../../../src/core/records/webhook-url.ts";

// fixtures/refusals/webhook-urls.txt and fixtures/acceptances/webhook-urls.txt have the usual addresses.

describe("a webhook address", () => {
  it.each([
    "169.255.0.1",
    "100.100.100.201",
    "168.63.129.17",
    "192.0.0.193",
    "[fd20:ce::255]",
    "[64:ff9b::10.0.0.7]",
    "[64:ff9b:2::169.254.169.254]",
    "[fec0::1]",
    "169.254.169.254.example.com",
  ])("may be on %s", (host) => expect(isWebhookUrl(`http://${host}/hook`)).toBe(true));

  it("with letters beyond ASCII is one however many were read before", () => {
    const refused = Array.from({ length: 20_000 }, () => isWebhookUrl("https://cobrança.example/"));
    expect(refused.filter((isOne) => !isOne)).toHaveLength(0);
  });

  it.each(["localhost:0", "127.0.0.1:00", "[::1]:0", "example.com/\ud800", "example.com/\u0085"])(
    "is not on %j",
    (host) => expect(isWebhookUrl(`http://${host}`)).toBe(false),
  );

  it.each([
    ["in parts of every kind", "0xA9.254.0251.254"],
    ["in two parts", "169.16689662"],
    ["escaped", "%31%36%39.254.169.254"],
    ["with another kind of dot", "169。254。169。254"],
    ["compatible with IPv4", "[::169.254.169.254]"],
    ["by NAT64", "[64:ff9b::169.254.169.254]"],
    ["Alibaba's, as a number", "0x646464c8"],
    ["Alibaba's, mapped", "[::ffff:100.100.100.200]"],
    ["Amazon's, written out", "[fd00:0ec2:0000:0000:0000:0000:0000:0254]"],
    ["Azure's", "168.63.129.16"],
    ["Azure's, mapped", "[::ffff:168.63.129.16]"],
    ["Azure's, compatible", "[::a83f:8110]"],
    ["Oracle's", "192.0.0.192"],
    ["Oracle's, by NAT64", "[64:ff9b::c000:00c0]"],
    ["Google's", "[fd20:ce::254]"],
  ])("is never link-local or a metadata service's: %s (%s)", (_title, host) => {
    expect(URL.canParse(`http://${host}/hook`)).toBe(true);
    expect(isWebhookUrl(`http://${host}/hook`)).toBe(false);
    expect(isWebhookUrl(`HTTPS://user:password@${host}:8080`)).toBe(false);
  });
});

describe("a resolved address", () => {
  it.each([
    "169.254.0.1",
    "fe80::1%eth0",
    "FE80::1",
    "febf::1",
    "::FFFF:169.254.169.254",
    "64:ff9b::a9fe:1",
    "fd20:00ce:0:0:0:0:0:0254",
  ])("is link-local or a metadata service's: %s", (address) => {
    expect(isLinkLocal(address)).toBe(true);
  });

  it.each([
    "127.0.0.1",
    "::1",
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "169.253.0.1",
    "1.169.254.1",
    "1169.254.1.1",
    "fec0::1",
    "fe7f::1",
    "::ffff:127.0.0.1",
    "2001:db8::a9fe:a9fe",
    "::1:a9fe:a9fe",
    "64:ff9a::a9fe:a9fe",
    "not an address:",
  ])("may be any other: %s", (address) => expect(isLinkLocal(address)).toBe(false));

  it.each([
    "127.0.0.0",
    "127.255.255.255",
    "::1",
    "::FFFF:127.255.0.1",
    "::ffff:7f00:1",
    "::FFFF:7F12:3456",
  ])("is this machine's own: %s", (address) => expect(isLoopback(address)).toBe(true));

  it.each([
    "128.0.0.1",
    "0.0.0.0",
    "10.127.0.1",
    "192.0.2.127",
    "::",
    "::11",
    "1::1",
    "::ffff:8000:1",
    "::ffff:7f0:1",
    "64:ff9b::127.0.0.1",
    "localhost",
    "127.0.0.1.example.com",
    "1127.0.0.1",
  ])("is another machine's, or any: %s", (address) => expect(isLoopback(address)).toBe(false));
});
