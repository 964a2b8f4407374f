import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";

import { isPublicAddress } from "./public-address.ts";

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:80b::200e",
  "::ffff:1.1.1.1",
  "64:ff9b::1.1.1.1",
];

const NOT_PUBLIC = [
  // This network and this machine
  "0.0.0.0",
  "0.1.2.3",
  "127.0.0.1",
  "127.255.255.254",
  "::",
  "::1",
  // Private networks
  "10.0.0.0",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "100.64.0.1",
  "100.127.255.255",
  "fc00::1",
  "fd12:3456::1",
  "fec0::1",
  // Link-local, and the metadata services of clouds
  "169.254.0.1",
  "169.254.169.254",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fe80::1",
  "febf::1",
  "fd00:ec2::254",
  // Documentation, benchmarks, protocol assignments
  "192.0.2.1",
  "198.51.100.1",
  "203.0.113.1",
  "198.18.0.1",
  "198.19.255.255",
  "192.0.0.1",
  "192.88.99.1",
  "2001:db8::1",
  "3fff::1",
  "3fff:fff::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "100::1",
  "100:0:0:1::1",
  "5f00::1",
  // Multicast, broadcast, reserved
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "ff02::1",
  "4000::1",
  "e000::1",
  // Other ways to write, or to reach, an IPv4 address
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:0:1.1.1.1",
  "::127.0.0.1",
  "::1.1.1.1",
  "64:ff9b::127.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::169.254.169.254",
  "64:ff9b:1::1",
  "64:ff9b:1::1.1.1.1",
  "2002:7f00:1::1",
  "2002:c0a8:101::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  // No addresses
  "",
  "localhost",
  "127.1",
  "0x7f000001",
  "2130706433",
  "0177.0.0.1",
  "1.1.1.1/32",
  "1.1.1.1 ",
  "[::1]",
];

test.each(PUBLIC)("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each(NOT_PUBLIC)("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test("evaluates an IPv4 address the same way in every IPv6 form", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const isPublic = isPublicAddress(address);
      expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublic);
      expect(isPublicAddress(`64:ff9b::${address}`)).toBe(isPublic);
    }),
  );
});

test("no IPv6 address outside the allocated ranges is public, except those that embed IPv4", () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const parsed = ipaddr.IPv6.parse(address);
      const firstBits = parsed.parts[0]! >> 13;
      const isCarrier = parsed.isIPv4MappedAddress() || address.startsWith("64:ff9b:");
      if (firstBits !== 1 && !isCarrier) expect(isPublicAddress(address)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test("allowed ranges count as public, and no others", () => {
  const allowed = [ipaddr.parseCIDR("10.1.0.0/16"), ipaddr.parseCIDR("fd00::/64")];

  expect(isPublicAddress("10.1.2.3", allowed)).toBe(true);
  expect(isPublicAddress("::ffff:10.1.2.3", allowed)).toBe(true);
  expect(isPublicAddress("fd00::5", allowed)).toBe(true);
  expect(isPublicAddress("1.1.1.1", allowed)).toBe(true);
  expect(isPublicAddress("10.2.0.1", allowed)).toBe(false);
  expect(isPublicAddress("127.0.0.1", allowed)).toBe(false);
  expect(isPublicAddress("fd00:1::5", allowed)).toBe(false);
});
