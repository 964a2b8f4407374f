import { expect, test } from "vitest";

import { readIpv4Routes, readIpv6Routes } from "./default-gateways.ts";

test("reads the IPv4 default gateway, not routes to networks", () => {
  const table = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010012AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000012AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
`;
  expect(readIpv4Routes(table)).toEqual(["172.18.0.1"]);
  expect(readIpv4Routes("")).toEqual([]);
});

test("reads the IPv6 default gateway, not unreachable routes", () => {
  const none = "0".repeat(32);
  const gateway = "fd5c8f3a27d100000000000000000001";
  const table = `fd5c8f3a27d100000000000000000000 40 ${none} 00 ${none} 00000100 00000001 00000000 00000001     eth0
${none} 00 ${none} 00 ${gateway} 00000400 00000001 00000000 00000003     eth0
${none} 00 ${none} 00 ${none} ffffffff 00000001 00000000 00200200       lo
`;
  expect(readIpv6Routes(table)).toEqual(["fd5c:8f3a:27d1::1"]);
});
