import type { Cidr, Config } from "#server/config.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { greetingAt } from "#server/gateways/greeting.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { failed, type Finding, ok, unknown, warning } from "./finding.ts";
import { localHost } from "./local-host.ts";

const PART = "port 25 in";
const SMTP_PORT = 25;
const ANSWER_TIMEOUT_MS = 5_000;

type Settings = Pick<Config, "hostname" | "localMode" | "bind" | "ports">;
type Dns = Pick<Resolver, "a" | "aaaa">;

/**
 * Whether mail from outside arrives, as far as that can be told from inside: the host name leads to a
 * public address, and what greets there is this appliance. A provider's firewall shows from outside only.
 */
export async function lookAtPortIn(
  settings: Settings,
  dns: Dns,
  { port = SMTP_PORT, allowed = [] }: { port?: number; allowed?: Cidr[] } = {},
): Promise<Finding> {
  const { hostname, localMode } = settings;
  if (localMode)
    return unknown(
      PART,
      "In local mode no mail comes in from outside",
      "Set POSTHOUSE_HOSTNAME to the host name that mail should come to",
    );
  const addresses = await addressesOf(dns, hostname);
  if (addresses === null)
    return unknown(
      PART,
      `The DNS did not answer where ${hostname} is`,
      "See what is said about the DNS, then check again",
    );
  const [address] = addresses;
  if (address === undefined)
    return failed(
      PART,
      `${hostname} has no address in the DNS, so nobody finds this server`,
      `Add an A record for ${hostname} with this server’s public address`,
    );
  const inside = addresses.find((each) => !isPublicAddress(each, allowed));
  if (inside !== undefined)
    return failed(
      PART,
      `${hostname} leads to ${inside}, which nobody outside reaches`,
      `Let the A record of ${hostname} have this server’s public address`,
    );
  return lookAtGreeting(settings, { address, port });
}

/** None when the name has none; null when the DNS did not say. */
export async function addressesOf(dns: Dns, name: string): Promise<string[] | null> {
  const answers = await Promise.all([dns.a(name), dns.aaaa(name)]);
  const found = answers.flatMap((answer) => (answer.kind === "found" ? answer.records : []));
  return found.length === 0 && answers.some(({ kind }) => kind === "failed") ? null : found;
}

async function lookAtGreeting(
  { hostname, bind, ports }: Settings,
  { address, port }: { address: string; port: number },
): Promise<Finding> {
  const command = `nc -v ${hostname} ${port}`;
  const [outer, inner] = await Promise.all([
    greetingAt({ host: address, port }, ANSWER_TIMEOUT_MS),
    greetingAt({ host: localHost(bind), port: ports.smtp }, ANSWER_TIMEOUT_MS),
  ]);
  const isOurs = outer.kind === "greeted" && outer.line.toLowerCase().includes(hostname);
  if (isOurs)
    return ok(PART, `${hostname} (${address}) greets at port ${port}, seen from this server`, {
      command,
    });
  if (inner.kind === "silent")
    return failed(
      PART,
      `Nothing listens for mail at port ${ports.smtp} (${inner.code})`,
      "Is mail started (POSTHOUSE_ROLES)? See logs/mail.log",
    );
  const mapping =
    ports.smtp === port
      ? "It may be a firewall, or a router that does not lead back inside"
      : `Posthouse listens at port ${ports.smtp}: lead port ${port} to it, or set SMTP_PORT=${port}`;
  if (outer.kind === "silent")
    return warning(
      PART,
      `Port ${port} of ${address} does not answer this server (${outer.code})`,
      `${mapping}. Try from another network with the command below`,
      { command },
    );
  return failed(
    PART,
    `Another server answers at port ${port} of ${address}: ${outer.line}`,
    `Stop the other mail server, or let the A record of ${hostname} have this server’s address. ${mapping}`,
    { command },
  );
}
