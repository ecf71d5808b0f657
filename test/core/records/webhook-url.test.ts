import { describe, expect, it } from "vitest";
import { isLinkLocal, isLoopback, isWebhookUrl } from "../../../src/core/records/webhook-url.ts";

describe("a webhook address", () => {
  it.each([
    "http://localhost/hook",
    "http://localhost:3000",
    "https://localhost.:3000/hook",
    "http://shop.localhost:3000/hook",
    "http://127.0.0.1:9999/hook?one=two#three",
    "http://127.1/hook",
    "http://[::1]:8080/hook",
    "http://0.0.0.0:3000/hook",
    "http://10.0.0.7/hook",
    "http://172.16.0.1/hook",
    "http://192.168.1.20:8000/hook",
    "http://169.253.255.255/hook",
    "http://169.255.0.1/hook",
    "http://100.100.100.201/hook",
    "http://168.63.129.17/hook",
    "http://192.0.0.193/hook",
    "http://[fd00::1]/hook",
    "http://[fd20:ce::255]/hook",
    "http://[64:ff9b::10.0.0.7]/hook",
    "http://[64:ff9b:1::127.0.0.1]/hook",
    "http://[64:ff9b:2::169.254.169.254]/hook",
    "http://[fec0::1]/hook",
    "http://[fe00::1]/hook",
    "http://[::ffff:127.0.0.1]/hook",
    "http://host.docker.internal:3000/hook",
    "http://merchant:3000/hook",
    "http://127.0.0.1:6000/hook",
    "HTTPS://EXAMPLE.COM/HOOK",
    "https://user:password@example.com/hook",
    "https://example.com/caf%C3%A9?a=%20b",
    "https://müller.example/hook",
    "https://169.254.169.254.example.com/hook",
  ])("is %s", (text) => {
    expect(isWebhookUrl(text)).toBe(true);
  });

  it("with letters beyond ASCII is one however many were read before", () => {
    const refused = Array.from({ length: 20_000 }, () => isWebhookUrl("https://cobrança.example/"));
    expect(refused.filter((isOne) => !isOne)).toHaveLength(0);
  });

  it.each([
    "",
    "localhost:3000",
    "example.com/hook",
    "/hook",
    "//example.com/hook",
    "ftp://example.com/hook",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,hook",
    "ws://example.com/hook",
    "http:",
    "http://",
    "http:///hook",
    "http:/example.com/hook",
    "http:example.com",
    "http:\\\\example.com\\hook",
    " http://example.com/hook",
    "http://example.com/hook ",
    "http://exam ple.com/hook",
    "http://example.com/\ud800",
    "http://example.com/ho\nok",
    "http://example.com/ho\tok",
    "http://example.com/\u0000",
    "http://example.com/\u0085",
    "http://example.com:99999/hook",
    "http://example.com:port/hook",
    "http://[::1/hook",
    "http://999.1.1.1/hook",
    "http://localhost:0/hook",
    "http://127.0.0.1:00/hook",
    "https://[::1]:0",
  ])("is not %j", (text) => {
    expect(isWebhookUrl(text)).toBe(false);
  });

  it.each([
    ["dotted", "169.254.169.254"],
    ["the first of the range", "169.254.0.0"],
    ["the last of the range", "169.254.255.255"],
    ["with a dot behind", "169.254.169.254."],
    ["one decimal number", "2852039166"],
    ["one hexadecimal number", "0xa9fea9fe"],
    ["one octal number", "025177524776"],
    ["parts in hexadecimal", "0xa9.0xfe.0xa9.0xfe"],
    ["parts in octal", "0251.0376.0251.0376"],
    ["parts of every kind", "0xA9.254.0251.254"],
    ["three parts", "169.254.43518"],
    ["two parts", "169.16689662"],
    ["in full-width digits", "１６９.254.169.254"],
    ["escaped", "%31%36%39.254.169.254"],
    ["with another kind of dot", "169。254。169。254"],
    ["IPv6", "[fe80::1]"],
    ["the last of IPv6", "[febf:ffff::1]"],
    ["IPv6, written out", "[FE80:0000:0000:0000:0000:0000:0000:0001]"],
    ["mapped into IPv6", "[::ffff:169.254.169.254]"],
    ["mapped, in hexadecimal", "[::ffff:a9fe:a9fe]"],
    ["mapped, written out", "[0:0:0:0:0:ffff:a9fe:a9fe]"],
    ["in the old form of IPv4 within IPv6", "[::169.254.169.254]"],
    ["translated into IPv6", "[64:ff9b::169.254.169.254]"],
    ["within 6to4", "[2002:a9fe:a9fe::1]"],
    ["a cloud's metadata name", "metadata.google.internal"],
    ["the same with a dot behind", "metadata.google.internal."],
    ["the same in capitals", "METADATA.Google.Internal"],
    ["another cloud's metadata address", "100.100.100.200"],
    ["the same as a number", "0x646464c8"],
    ["the same, mapped", "[::ffff:100.100.100.200]"],
    ["a metadata address of IPv6", "[fd00:ec2::254]"],
    ["the same, written out", "[fd00:0ec2:0000:0000:0000:0000:0000:0254]"],
    ["Azure's", "168.63.129.16"],
    ["Azure's, as a number", "0xa83f8110"],
    ["Azure's, mapped", "[::ffff:168.63.129.16]"],
    ["Azure's, compatible", "[::a83f:8110]"],
    ["Azure's, by NAT64", "[64:ff9b::168.63.129.16]"],
    ["Azure's, within 6to4", "[2002:a83f:8110::1]"],
    ["Oracle's", "192.0.0.192"],
    ["Oracle's, mapped", "[::ffff:c000:c0]"],
    ["Oracle's, by NAT64", "[64:ff9b::c000:00c0]"],
    ["Alibaba's, by NAT64", "[64:ff9b::100.100.100.200]"],
    ["Google's", "[fd20:ce::254]"],
    ["Google's, written out", "[FD20:00CE:0000:0000:0000:0000:0000:0254]"],
    ["by the local NAT64's /48", "[64:ff9b:1:a9fe:a9:fe00::]"],
    ["by a /56 of it", "[64:ff9b:1:12a9:fe:a9fe::]"],
    ["by a /64 of it", "[64:ff9b:1:1234:a9:fea9:fe00:0]"],
    ["by a /96 of it", "[64:ff9b:1:1:2:3:169.254.169.254]"],
    ["Oracle's, by a /96 of it", "[64:ff9b:1::192.0.0.192]"],
  ])("is never link-local or a metadata service: %s (%s)", (_title, host) => {
    expect(URL.canParse(`http://${host}/hook`)).toBe(true);
    for (const scheme of ["http", "https", "HTTP"])
      for (const rest of ["", ":8080/latest/meta-data", "/hook"])
        expect(isWebhookUrl(`${scheme}://${host}${rest}`)).toBe(false);
    expect(isWebhookUrl(`http://user:password@${host}/hook`)).toBe(false);
  });
});

describe("a resolved address", () => {
  it.each([
    "169.254.0.1",
    "169.254.169.254",
    "fe80::1",
    "fe80::1%eth0",
    "FE80::1",
    "febf::1",
    "::ffff:169.254.169.254",
    "::FFFF:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "100.100.100.200",
    "::ffff:100.100.100.200",
    "::ffff:6464:64c8",
    "fd00:ec2::254",
    "168.63.129.16",
    "192.0.0.192",
    "::ffff:168.63.129.16",
    "::FFFF:192.0.0.192",
    "64:ff9b::a9fe:a9fe",
    "64:FF9B:1::A83F:8110",
    "64:ff9b:1::192.0.0.192",
    "fd20:ce::254",
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
    "192.168.0.1",
    "169.253.0.1",
    "169.255.0.1",
    "1.169.254.1",
    "fec0::1",
    "fe7f::1",
    "fd00:ec2::255",
    "::ffff:127.0.0.1",
    "::ffff:a9ff:1",
    "::ffff:6464:64c9",
    "2001:db8::a9fe:a9fe",
    "168.63.129.1",
    "fd20:ce::2540",
    "::1:a9fe:a9fe",
    "64:ff9a::a9fe:a9fe",
    "64:ff9b:1::",
    "1169.254.1.1",
    "not an address:",
  ])("may be any other: %s", (address) => {
    expect(isLinkLocal(address)).toBe(false);
  });

  it.each([
    "127.0.0.1",
    "127.0.0.0",
    "127.255.255.255",
    "127.12.34.56",
    "::1",
    "::ffff:127.0.0.1",
    "::FFFF:127.255.0.1",
    "::ffff:7f00:1",
    "::ffff:7fff:ffff",
    "::FFFF:7F12:3456",
  ])("is this machine's own: %s", (address) => {
    expect(isLoopback(address)).toBe(true);
  });

  it.each([
    "128.0.0.1",
    "126.255.255.255",
    "0.0.0.0",
    "10.127.0.1",
    "192.168.0.1",
    "192.0.2.127",
    "169.254.0.1",
    "::",
    "::2",
    "::11",
    "1::1",
    "fe80::1",
    "2001:db8::1",
    "::ffff:128.0.0.1",
    "::ffff:0.0.0.0",
    "::ffff:8000:1",
    "::ffff:7eff:1",
    "::ffff:7f0:1",
    "::ffff:7f:1",
    "64:ff9b::127.0.0.1",
    "2002:7f00:1::1",
    "localhost",
    "127.0.0.1.example.com",
    "1127.0.0.1",
  ])("is another machine's, or any: %s", (address) => {
    expect(isLoopback(address)).toBe(false);
  });

  it.each(["127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]"])(
    "is this machine's own as an address writes it: %s",
    (host) => {
      expect(isLoopback(new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, ""))).toBe(true);
    },
  );
});
