// Tells whether an IP address is one of the public internet. What a user names must never lead into the platform's own network.
import { BlockList, isIP } from "node:net";

/**
 * Networks of IPv4 that are not the public internet: IANA's special-purpose registry
 * (iana.org/assignments/iana-ipv4-special-registry), multicast (RFC 5771) and the addresses kept for the future (RFC 1112).
 */
const closedNetworks4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"],
  ...["192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
];

/** All of IPv6 that is routed (RFC 4291, 2.4): loopback, link-local, unique local, mapped, NAT64 and multicast lie outside it. */
const routed6 = "2000::/3";

/** Networks within it that are not the public internet, or that carry an address of IPv4 inside (2002:, Teredo in 2001::/23). */
const closedNetworks6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48"];

const closed = networks([...closedNetworks4, ...closedNetworks6]);
const routed = networks([routed6]);

/** @param address in the form that a resolver gives; anything else counts as not public */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (family !== 6 || address.includes("%")) return false;
  return routed.check(address, "ipv6") && !closed.check(address, "ipv6");
}

function networks(prefixes: readonly string[]): BlockList {
  const list = new BlockList();
  for (const prefix of prefixes) {
    const [address = "", bits] = prefix.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
