import { Resolver as NodeResolver } from "node:dns/promises";

import type { Config } from "#server/config.ts";

/** The result of a DNS query. `failed` may succeed later; the others are authoritative. */
export type Answer<Record> =
  | { kind: "found"; records: Record[] }
  | { kind: "no_name" }
  | { kind: "no_data" }
  | { kind: "failed"; reason: string };

/** One MX record. The null MX of RFC 7505 has the exchange "". */
export type MailExchange = { preference: number; exchange: string };

export type Resolver = {
  mx(name: string): Promise<Answer<MailExchange>>;
  a(name: string): Promise<Answer<string>>;
  aaaa(name: string): Promise<Answer<string>>;
  /** Each record as one string, its parts joined. */
  txt(name: string): Promise<Answer<string>>;
  /** Like Node's `dns.promises.resolve`, including its errors: for libraries that interpret them. */
  resolve(name: string, rrtype: string): Promise<unknown>;
};

type QueryTimeouts = { timeoutMs: number; tries: number };

/**
 * Creates a resolver for the configured servers, or the system's. Nothing is cached. A server that doesn't
 * answer is queried `tries` times, waiting `timeoutMs` at first and longer after that.
 */
export function createResolver(
  config: Pick<Config, "dnsServers">,
  { timeoutMs, tries }: QueryTimeouts = { timeoutMs: 3000, tries: 2 },
): Resolver {
  const dns = new NodeResolver({ timeout: timeoutMs, tries });
  if (config.dnsServers) dns.setServers(config.dnsServers.map(formatServer));
  return {
    mx: (name) =>
      ask(async () => {
        const records = await dns.resolveMx(name);
        return records.map(({ priority, exchange }) => ({ preference: priority, exchange }));
      }),
    a: (name) => ask(() => dns.resolve4(name)),
    aaaa: (name) => ask(() => dns.resolve6(name)),
    txt: (name) =>
      ask(async () => {
        const records = await dns.resolveTxt(name);
        return records.map((parts) => parts.join(""));
      }),
    resolve: (name, rrtype) => dns.resolve(name, rrtype),
  };
}

/** As Node's `setServers` expects it. */
export const formatServer = ({ address, port }: { address: string; port: number }): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

/** Converts the result of a query with Node's own resolver. */
export async function ask<Record>(question: () => Promise<Record[]>): Promise<Answer<Record>> {
  try {
    const records = await question();
    return records.length > 0 ? { kind: "found", records } : { kind: "no_data" };
  } catch (error) {
    return readFailure(error);
  }
}

function readFailure(error: unknown): Exclude<Answer<never>, { kind: "found" }> {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string")
    throw error;
  switch (error.code) {
    case "ENOTFOUND":
    case "EBADNAME":
      return { kind: "no_name" };
    case "ENODATA":
      return { kind: "no_data" };
    default:
      return { kind: "failed", reason: error.code.replace(/^E/, "") };
  }
}
