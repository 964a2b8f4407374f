import { existsSync } from "node:fs";

import ipaddr from "ipaddr.js";

type Environment = Record<string, string | undefined>;
type Fail = (variable: string, value: string | undefined, expected: string) => never;

export type Cidr = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number];

/** Added to a port of Dovecot for the listener that expects PROXY headers. */
export const PROXY_PORT_OFFSET = 10_000;

/** The addresses that Posthouse connects to itself from, in health checks, besides POSTHOUSE_BIND. */
const OWN_ADDRESSES = ["127.0.0.1", "::1"];

/**
 * Reads the address of all listeners.
 *
 * @param hasIpv6 whether the kernel has IPv6
 * @param fail throws a ConfigError about a variable
 */
export function readBind(
  env: Environment,
  {
    localMode,
    fail,
    hasIpv6 = existsSync("/proc/net/if_inet6"),
  }: { localMode: boolean; fail: Fail; hasIpv6?: boolean | undefined },
): string {
  const value = env.POSTHOUSE_BIND || (localMode ? "127.0.0.1" : "::");
  if (!ipaddr.isValid(value)) fail("POSTHOUSE_BIND", value, "must be an IP address");
  // Without IPv6 in the kernel, no socket can be created for it.
  return value === "::" && !hasIpv6 ? "0.0.0.0" : value;
}

/** Reads the resolvers of `POSTHOUSE_DNS`. Null for the system's. */
export function readDnsServers(
  env: Environment,
  fail: Fail,
): { address: string; port: number }[] | null {
  const value = env.POSTHOUSE_DNS;
  if (!value) return null;
  return value.split(",").map((entry) => {
    const [, bracketed, plain, port] =
      /^(?:\[([^\]]+)\]|([^:\]]+|[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*))(?::(\d+))?$/i.exec(
        entry.trim(),
      ) ?? [];
    const address = bracketed ?? plain;
    if (!address || !ipaddr.isValid(address) || Number(port ?? 53) > 65535)
      fail("POSTHOUSE_DNS", value, "must be a list of ip[:port], such as 9.9.9.9,[2620:fe::fe]:53");
    return { address, port: Number(port ?? 53) };
  });
}

/**
 * Reads whether the resolver's word is taken that an answer is validated by DNSSEC. `auto`: if it runs on this machine,
 * or `/etc/resolv.conf` says so.
 */
export function readDnssec(env: Environment, fail: Fail): "auto" | "on" | "off" {
  const value = env.POSTHOUSE_DNSSEC || "auto";
  if (value === "auto" || value === "on" || value === "off") return value;
  return fail("POSTHOUSE_DNSSEC", value, "must be auto, on or off");
}

/** Reads a list of addresses and CIDR ranges. */
export function readCidrs(env: Environment, variable: string, fail: Fail): Cidr[] {
  const value = env[variable];
  if (!value) return [];
  return value.split(",").map((entry) => {
    const range = entry.trim();
    if (ipaddr.isValidCIDR(range)) return ipaddr.parseCIDR(range);
    if (!ipaddr.isValid(range))
      fail(variable, value, "must be a list of addresses or CIDR ranges, such as 10.0.0.0/8");
    const address = ipaddr.parse(range);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  });
}

/**
 * Reads the proxies that send PROXY headers. Connections without one are closed, so our own can't be among them.
 *
 * @param bind the address of all listeners
 * @param ports of Dovecot, by name
 */
export function readProxyProtocol(
  env: Environment,
  { bind, ports, fail }: { bind: string; ports: Record<string, number>; fail: Fail },
): Cidr[] {
  const variable = "POSTHOUSE_PROXY_PROTOCOL";
  const networks = readCidrs(env, variable, fail);
  if (networks.length === 0) return [];
  for (const [name, port] of Object.entries(ports))
    if (port + PROXY_PORT_OFFSET > 65_535)
      fail(
        `${name.toUpperCase()}_PORT`,
        String(port),
        `must be at most ${65_535 - PROXY_PORT_OFFSET} with ${variable}`,
      );
  for (const own of [...OWN_ADDRESSES, bind].map((text) => ipaddr.process(text)))
    if (networks.some(([net, bits]) => net.kind() === own.kind() && own.match(net, bits)))
      fail(
        variable,
        env[variable],
        `can't include ${own.toString()}, which Posthouse itself connects from. A proxy on this machine can connect from 127.0.0.2`,
      );
  return networks;
}
