import { expect, test } from "vitest";

import { proxyHeaderV2 } from "#server/testing/proxy-header.ts";

import { readProxyHeader } from "./proxy-header.ts";

const V6 = [0x20, 1, 0xd, 0xb8, ...Array<number>(11).fill(0), 7, ...Array<number>(16).fill(0)];
const MAPPED = [...Array<number>(10).fill(0), 255, 255, 198, 51, 100, 7, ...V6.slice(16)];
const PORTS = [0x9c, 0x40, 0, 25];

test.each([
  ["IPv4", proxyHeaderV2(), "198.51.100.7"],
  ["IPv6", proxyHeaderV2({ family: 0x21, addresses: [...V6, ...PORTS] }), "2001:db8::7"],
  [
    "IPv4 as IPv6",
    proxyHeaderV2({ family: 0x21, addresses: [...MAPPED, ...PORTS] }),
    "198.51.100.7",
  ],
  ["with more fields", proxyHeaderV2({ more: 900 }), "198.51.100.7"],
  ["the proxy's own connection", proxyHeaderV2({ command: 0x20, addresses: [] }), null],
  ["unspecified", proxyHeaderV2({ family: 0, addresses: [] }), null],
  ["line, IPv4 as IPv6", Buffer.from("PROXY TCP6 ::ffff:198.51.100.7 ::1 1 2\r\n"), "198.51.100.7"],
])("reads a header however it is split: %s", (_name, header, address) => {
  const seen = Buffer.concat([header, Buffer.from("EHLO")]);
  for (let length = 0; length < header.length; length++)
    expect(readProxyHeader(seen.subarray(0, length))).toBe("incomplete");
  expect(readProxyHeader(seen)).toEqual({ address, bytes: header.length });
});

test.each([
  ["UDP", proxyHeaderV2({ family: 0x12 })],
  ["a UNIX socket", proxyHeaderV2({ family: 0x31, more: 300 })],
  ["another version", proxyHeaderV2({ command: 0x11 })],
  ["another command", proxyHeaderV2({ command: 0x22 })],
  ["short addresses", proxyHeaderV2({ addresses: [198, 51, 100, 7] })],
  ["64 KB", proxyHeaderV2({ more: 65_000 }).subarray(0, 20)],
  ["no signature", Buffer.from("\r\n\r\nEHLO client\r\n")],
  ["no header", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
])("rejects %s", (_name, bytes) => {
  expect(readProxyHeader(bytes)).toBe("invalid");
});
