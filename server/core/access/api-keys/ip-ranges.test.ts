import fc from "fast-check";
import { expect, test } from "vitest";

import { isInRanges, readRange } from "./ip-ranges.ts";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["192.0.2.7/32", "192.0.2.7"],
  ["192.0.2.7/24", "192.0.2.0/24"],
  ["10.255.255.255/8", "10.0.0.0/8"],
  ["203.0.113.9/0", "0.0.0.0/0"],
  ["2001:0DB8:0:0:0:0:0:7", "2001:db8::7"],
  ["2001:db8::7/128", "2001:db8::7"],
  ["2001:db8:1:2::7/48", "2001:db8:1::/48"],
  ["::1", "::1"],
  ["::/0", "::/0"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::ffff:c000:207", "192.0.2.7"],
  ["::ffff:192.0.2.7/120", "192.0.2.0/24"],
  ["::ffff:0:0/96", "0.0.0.0/0"],
  ["::ffff:0:0/95", "::fffe:0:0/95"],
])("stores %s as %s", (text, kept) => {
  expect(readRange(text)).toBe(kept);
  expect(readRange(kept)).toBe(kept);
});

test.each([
  ["nothing", ""],
  ["a name", "example.com"],
  ["a number too large", "192.0.2.256"],
  ["three parts", "192.0.2"],
  ["one number", "3221225991"],
  ["octal", "0300.0.2.7"],
  ["hexadecimal", "0xc0.0.2.7"],
  ["a port", "192.0.2.7:25"],
  ["a zone", "fe80::1%eth0"],
  ["a length too long", "192.0.2.0/33"],
  ["an IPv6 length too long", "2001:db8::/129"],
  ["a negative length", "192.0.2.0/-1"],
  ["an empty length", "192.0.2.0/"],
  ["a netmask", "192.0.2.0/255.255.255.0"],
  ["two lengths", "192.0.2.0/24/24"],
  ["two entries", "192.0.2.1,192.0.2.2"],
  ["brackets", "[2001:db8::7]"],
  ["nine groups", "1:2:3:4:5:6:7:8:9"],
])("rejects %s", (_, text) => {
  expect(readRange(text)).toBeNull();
});

test("stores a range that contains the address it was read from", () => {
  const ip = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
    fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
  );
  fc.assert(
    fc.property(ip, ([address, bits]) => {
      const kept = readRange(`${address}/${bits}`);
      // A mapped address counts as IPv4, so only ranges of mapped addresses contain it.
      fc.pre(kept !== null && !(kept.includes(":") && isMapped(address)));
      expect(isInRanges(address, [kept])).toBe(true);
    }),
  );
});

const isMapped = (address: string) => readRange(address)?.includes(":") === false;

test.each([
  ["192.0.2.7", ["192.0.2.7"], true],
  ["192.0.2.7", ["192.0.2.8"], false],
  ["192.0.2.7", ["192.0.2.0/24"], true],
  ["192.0.3.7", ["192.0.2.0/24"], false],
  ["192.0.2.7", ["192.0.2.9/24"], true],
  ["192.0.2.7", ["192.0.2.7/32"], true],
  ["192.0.2.8", ["192.0.2.7/32"], false],
  ["203.0.113.1", ["0.0.0.0/0"], true],
  ["203.0.113.1", ["192.0.2.0/24", "203.0.113.0/28"], true],
  ["2001:db8::7", ["2001:db8::/32"], true],
  ["2001:db9::7", ["2001:db8::/32"], false],
  ["2001:db8::7", ["2001:0DB8:0:0::7"], true],
  ["2001:db8::7", ["2001:db8::7/128"], true],
  ["2001:db8::8", ["2001:db8::7/128"], false],
  ["2001:db8::7", ["::/0"], true],
  ["::ffff:192.0.2.7", ["192.0.2.0/24"], true],
  ["::ffff:c000:207", ["192.0.2.7"], true],
  ["192.0.2.7", ["::ffff:192.0.2.7"], true],
  ["192.0.2.7", ["::ffff:192.0.2.0/120"], true],
  ["192.0.3.7", ["::ffff:192.0.2.0/120"], false],
  ["192.0.2.7", ["::ffff:192.0.2.7/128"], true],
  ["192.0.2.7", ["::/0"], false],
  ["2001:db8::7", ["0.0.0.0/0"], false],
  ["192.0.2.7", [], false],
  ["", ["0.0.0.0/0", "::/0"], false],
  ["192.0.2.7, 203.0.113.1", ["0.0.0.0/0"], false],
])("%s in %j: %j", (address, ranges, expected) => {
  expect(isInRanges(address, ranges)).toBe(expected);
});
