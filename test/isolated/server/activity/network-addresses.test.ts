import * as os from "node:os";
import { expect, it, vi } from "vitest";
import { networkAddresses } from "../../../../src/server/activity/network-addresses.ts";

vi.mock("node:os", { spy: true });

it("are those of all interfaces that other machines reach, as an address of the web names them", () => {
  const address = (text: string, family: "IPv4" | "IPv6", internal = false) => ({
    address: text,
    family,
    internal,
  });
  vi.mocked(os.networkInterfaces).mockReturnValue({
    lo: [address("127.0.0.1", "IPv4", true), address("::1", "IPv6", true)],
    eth0: [address("192.168.0.7", "IPv4"), address("2001:db8::7", "IPv6")],
    eth1: [address("FE80::1", "IPv6"), address("febf::1", "IPv6"), address("10.0.0.7", "IPv4")],
    gone: undefined,
  } as never);
  expect(networkAddresses("0.0.0.0")).toEqual(["192.168.0.7", "10.0.0.7"]);
  expect(networkAddresses("::")).toEqual(["192.168.0.7", "[2001:db8::7]", "10.0.0.7"]);
});
