import { readFile } from "node:fs/promises";

import ipaddr from "ipaddr.js";

const GATEWAY_FLAG = 0x2;
const ANY_IPV4 = /^0{8}$/;
const ANY_IPV6 = /^0{32}$/;

/** The default gateways of this machine or container, IPv4 and IPv6, from the kernel's routing tables. */
export async function defaultGateways(): Promise<string[]> {
  const [ipv4, ipv6] = await Promise.all(
    ["/proc/net/route", "/proc/net/ipv6_route"].map((file) =>
      readFile(file, "utf8").catch(() => ""),
    ),
  );
  return [...readIpv4Routes(ipv4!), ...readIpv6Routes(ipv6!)];
}

/** @param table `/proc/net/route`: addresses are hex numbers in the machine's byte order, little-endian here */
export function readIpv4Routes(table: string): string[] {
  const gateways = table.split("\n").flatMap((row) => {
    const [, destination = "", gateway = "", flags = ""] = row.trim().split(/\s+/);
    const isDefault = ANY_IPV4.test(destination) && (parseInt(flags, 16) & GATEWAY_FLAG) !== 0;
    if (!isDefault) return [];
    return Buffer.from(gateway, "hex").reverse().join(".");
  });
  return [...new Set(gateways)];
}

/** @param table `/proc/net/ipv6_route`: addresses are 32 hex digits */
export function readIpv6Routes(table: string): string[] {
  const gateways = table.split("\n").flatMap((row) => {
    const [destination = "", prefix = "", , , gateway = "", , , , flags = ""] = row
      .trim()
      .split(/\s+/);
    const isDefault =
      ANY_IPV6.test(destination) &&
      prefix === "00" &&
      !ANY_IPV6.test(gateway) &&
      (parseInt(flags, 16) & GATEWAY_FLAG) !== 0;
    return isDefault ? ipaddr.fromByteArray([...Buffer.from(gateway, "hex")]).toString() : [];
  });
  return [...new Set(gateways)];
}
