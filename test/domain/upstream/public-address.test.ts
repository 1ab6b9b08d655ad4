// Which addresses are the public internet.
import { expect, test } from "@jest/globals";
import { isPublicAddress } from "../../../domain/upstream/public-address.ts";

test.each(["93.184.215.14", "1.1.1.1", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1"])(
  "the address %s is public",
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ["loopback", "127.0.0.1"],
  ["loopback, the whole network", "127.200.3.4"],
  ["this host", "0.0.0.0"],
  ["private", "10.0.0.1"],
  ["private", "172.31.255.255"],
  ["private", "192.168.1.1"],
  ["a carrier's NAT", "100.64.0.1"],
  ["link-local", "169.254.1.1"],
  ["the metadata of an instance", "169.254.169.254"],
  ["the metadata of a container", "169.254.170.2"],
  ["a benchmark", "198.18.0.1"],
  ["documentation", "203.0.113.7"],
  ["multicast", "224.0.0.1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["the relays of 6to4", "192.88.99.1"],
  ["loopback", "::1"],
  ["unspecified", "::"],
  ["mapped", "::ffff:127.0.0.1"],
  ["mapped, in hexadecimal", "::ffff:7f00:1"],
  ["mapped, of a public address", "::ffff:93.184.215.14"],
  ["compatible with IPv4", "::127.0.0.1"],
  ["NAT64", "64:ff9b::7f00:1"],
  ["NAT64 of a local prefix", "64:ff9b:1::a9fe:a9fe"],
  ["6to4", "2002:7f00:1::"],
  ["Teredo", "2001:0:7f00:1::"],
  ["documentation", "2001:db8::1"],
  ["documentation", "3fff::1"],
  ["link-local", "fe80::1"],
  ["link-local with a zone", "fe80::1%eth0"],
  ["a zone at a public address", "2606:4700::1111%eth0"],
  ["unique local, and the metadata of an instance", "fd00:ec2::254"],
  ["multicast", "ff02::1"],
  ["a name", "localhost"],
  ["nothing", ""],
])("an address of the kind %s is not public: %s", (_, address) => expect(isPublicAddress(address)).toBe(false));
