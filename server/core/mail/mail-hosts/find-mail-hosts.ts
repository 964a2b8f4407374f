import { domainToASCII } from "node:url";

import type { Answer, MailExchange, Resolver } from "#server/gateways/dns.ts";

export type MxHost = { name: string; preference: number };

/** What happens to mail for a domain without reachable mail servers. */
type NoMailHost = {
  result: "delayed" | "bounced";
  /** Enhanced status code (RFC 3463). */
  dsn: string;
  message: string;
  suppress: boolean;
};

export type MailHosts =
  | { kind: "hosts"; hosts: MxHost[] }
  | { kind: "failure"; failure: NoMailHost }
  /** The domain doesn't exist, or has no mail server. */
  | { kind: "absent"; failure: NoMailHost };

/**
 * Finds the mail servers of a domain, in the order to try them (RFC 5321 §5.1): by preference, equal ones in
 * random order. A domain without MX is its own mail server if it has an address.
 */
export async function findMailHosts(
  resolver: Pick<Resolver, "mx" | "a" | "aaaa">,
  domain: string,
): Promise<MailHosts> {
  // [192.0.2.1]: no legitimate sender here bypasses the DNS, and relays that allow it get abused.
  if (domain.startsWith("[")) return failed(bounce("5.1.2", "Domain literals are not accepted"));
  const name = domainToASCII(domain);
  if (!name) return failed(bounce("5.1.2", `${domain} is not a domain name`));

  const answer = await resolver.mx(name);
  switch (answer.kind) {
    case "found":
      return readExchanges(name, answer.records);
    case "no_data":
      return isOwnHost(resolver, name);
    case "no_name":
      return absent(`The domain ${name} does not exist`);
    case "failed":
      return failed(delay(`The mail servers of ${name} could not be looked up: ${answer.reason}`));
  }
}

/** Sorts by preference and shuffles equal ones to share the load. */
export function orderHosts(hosts: MxHost[]): MxHost[] {
  const drawn = hosts.map((host) => ({ host, lot: Math.random() }));
  drawn.sort((one, other) => one.host.preference - other.host.preference || one.lot - other.lot);
  return drawn.map(({ host }) => host);
}

function readExchanges(domain: string, records: MailExchange[]): MailHosts {
  const hosts = records
    .filter(({ exchange }) => exchange !== "" && exchange !== ".")
    .map(({ preference, exchange }) => ({
      name: exchange.toLowerCase().replace(/\.$/, ""),
      preference,
    }));
  if (hosts.length > 0) return { kind: "hosts", hosts: orderHosts(hosts) };
  return failed(bounce("5.1.10", `The domain ${domain} does not accept mail (null MX)`));
}

async function isOwnHost(resolver: Pick<Resolver, "a" | "aaaa">, name: string): Promise<MailHosts> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  if (answers.some(({ kind }) => kind === "found"))
    return { kind: "hosts", hosts: [{ name, preference: 0 }] };
  const failure = answers.find((answer: Answer<string>) => answer.kind === "failed");
  if (failure?.kind === "failed")
    return failed(delay(`The address of ${name} could not be looked up: ${failure.reason}`));
  return absent(`The domain ${name} has no mail server`);
}

const failed = (failure: NoMailHost): MailHosts => ({ kind: "failure", failure });

/** Doesn't suppress the address: domains come back, and so may their addresses. */
const absent = (message: string): MailHosts => ({
  kind: "absent",
  failure: { result: "bounced", dsn: "5.1.2", message, suppress: false },
});

/** An address that can never work goes on the suppression list. */
const bounce = (dsn: string, message: string): NoMailHost => ({
  result: "bounced",
  dsn,
  message,
  suppress: true,
});

const delay = (message: string): NoMailHost => ({
  result: "delayed",
  dsn: "4.4.3",
  message,
  suppress: false,
});
