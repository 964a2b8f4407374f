import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { getServers } from "node:dns";
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";

import {
  type Answer,
  AUTHENTIC_DATA,
  decode,
  type DecodedPacket,
  encode,
  type Packet,
  RECURSION_DESIRED,
  streamDecode,
  streamEncode,
} from "dns-packet";
import ipaddr from "ipaddr.js";

import type { Config } from "#server/config.ts";

const QUERY_TIMEOUT_MS = 3_000;
const TRIES = 2;
/** Larger responses are repeated over TCP, so that no packet is fragmented. */
const UDP_BYTES_MAX = 1232;
/** No domain needs larger responses, and long chains of compression pointers would make them slow to decode. */
const RESPONSE_BYTES_MAX = 8 * 1024;
const RCODE_MASK = 0xf;
const [NOERROR, SERVFAIL, NXDOMAIN] = [0, 2, 3];
const RESOLV_CONF = "/etc/resolv.conf";
/** Docker's own resolver forwards queries, maybe over an untrusted network. */
const DOCKER_RESOLVER = "127.0.0.11";

/** The result of a query; `isSecure` if the resolver validated it with DNSSEC, including a denial. */
export type SecureAnswer =
  | { kind: "found"; answers: Answer[]; isSecure: boolean; ttlSeconds: number }
  | { kind: "absent"; isSecure: boolean }
  | { kind: "failed"; reason: string };

/** Queries a validating resolver. Node's own resolver doesn't return the AD bit. */
export type SecureDns = {
  query(name: string, type: "MX" | "A" | "CNAME" | "TLSA" | "SOA"): Promise<SecureAnswer>;
};

type Server = { address: string; port: number };
type Options = Pick<Config, "dnsServers" | "dnssec">;

/**
 * Creates a client for the configured resolver, or returns null if the AD bit of its answers can't be trusted: anyone on
 * the path to it could set it.
 */
export function createSecureDns(
  { dnsServers, dnssec }: Options,
  { timeoutMs = QUERY_TIMEOUT_MS, tries = TRIES }: { timeoutMs?: number; tries?: number } = {},
): SecureDns | null {
  const servers = dnsServers ?? systemServers();
  if (!isTrusted(servers, { dnssec, isSystem: dnsServers === null })) return null;
  return {
    async query(name, type) {
      let reason = "no servers";
      for (const server of Array.from({ length: tries }, () => servers).flat())
        try {
          const packet = await exchange(server, query(name, type), timeoutMs);
          const rcode = packet.flags! & RCODE_MASK;
          if (rcode === NOERROR || rcode === NXDOMAIN) return readPacket(packet, type);
          reason = rcode === SERVFAIL ? "SERVFAIL" : `response code ${rcode}`;
        } catch (error) {
          reason = error instanceof Error ? error.message : String(error);
        }
      return { kind: "failed", reason };
    },
  };
}

/** The root zone is signed, so a validating resolver sets the AD bit for it. Null if the resolver fails. */
export async function isValidating(dns: SecureDns): Promise<boolean | null> {
  const answer = await dns.query(".", "SOA");
  if (answer.kind === "failed") return null;
  return answer.kind === "found" && answer.isSecure;
}

function systemServers(): Server[] {
  return getServers().map((server) => {
    const [, bracketed, port] = /^\[(.*)\]:(\d+)$/.exec(server) ?? [];
    return bracketed ? { address: bracketed, port: Number(port) } : { address: server, port: 53 };
  });
}

function isTrusted(
  servers: Server[],
  { dnssec, isSystem }: { dnssec: Config["dnssec"]; isSystem: boolean },
): boolean {
  if (dnssec !== "auto") return dnssec === "on";
  return servers.every(isOnThisMachine) || (isSystem && trustsSystemResolver());
}

const isOnThisMachine = ({ address }: Server) =>
  address !== DOCKER_RESOLVER && ipaddr.process(address).range() === "loopback";

/** See resolv.conf(5). */
function trustsSystemResolver(): boolean {
  try {
    return /^\s*options\b.*\btrust-ad\b/m.test(readFileSync(RESOLV_CONF, "utf8"));
  } catch {
    return false;
  }
}

/** The AD bit in a query asks for it in the response, without the signatures (RFC 6840, 5.7). */
const query = (name: string, type: Parameters<SecureDns["query"]>[1]): Packet => ({
  type: "query",
  id: randomInt(65_536),
  flags: RECURSION_DESIRED | AUTHENTIC_DATA,
  questions: [{ type, name }],
  additionals: [
    {
      type: "OPT",
      name: ".",
      udpPayloadSize: UDP_BYTES_MAX,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    },
  ],
});

function readPacket(packet: DecodedPacket, type: string): SecureAnswer {
  const answers = packet.answers ?? [];
  const isSecure = packet.flag_ad;
  if (!answers.some((answer) => answer.type === type)) return { kind: "absent", isSecure };
  const ttls = answers.map((answer) => ("ttl" in answer ? (answer.ttl ?? 0) : 0));
  return { kind: "found", answers, isSecure, ttlSeconds: Math.min(...ttls) };
}

async function exchange(server: Server, packet: Packet, timeoutMs: number) {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await overUdp(server, packet, signal);
  return response.flag_tc ? overTcp(server, packet, signal) : response;
}

function overUdp({ address, port }: Server, packet: Packet, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<DecodedPacket>();
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  signal.addEventListener("abort", () => reject(new Error("no answer in time")));
  socket.on("error", reject);
  socket.on("message", (bytes) => {
    const response = bytes.length > RESPONSE_BYTES_MAX ? null : tryDecode(() => decode(bytes));
    if (response && isResponse(response, packet)) resolve(response);
  });
  // Connected, so that only this server's packets are received. A callback would be called on failure too.
  socket.on("connect", () => socket.send(encode(packet)));
  socket.connect(port, address);
  return promise.finally(() => socket.close());
}

function overTcp({ address, port }: Server, packet: Packet, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<DecodedPacket>();
  const socket = createConnection({ host: address, port, signal });
  let received = Buffer.alloc(0);
  socket.on("error", reject).on("close", () => reject(new Error("the connection was closed")));
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2) return;
    const size = received.readUInt16BE(0);
    if (size > RESPONSE_BYTES_MAX) {
      reject(new Error("oversized response"));
      return;
    }
    if (received.length < 2 + size) return;
    const response = tryDecode(() => streamDecode(received) as DecodedPacket);
    if (response && isResponse(response, packet)) resolve(response);
    else reject(new Error("malformed response"));
  });
  socket.write(streamEncode(packet));
  return promise.finally(() => socket.destroy());
}

function tryDecode(run: () => DecodedPacket): DecodedPacket | null {
  try {
    return run();
  } catch {
    return null;
  }
}

function isResponse(response: DecodedPacket, { id, questions }: Packet): boolean {
  const [asked, echoed] = [questions![0]!, response.questions?.[0]];
  const isEcho =
    echoed?.type === asked.type && echoed.name.toLowerCase() === asked.name.toLowerCase();
  return response.type === "response" && response.id === id && isEcho;
}
