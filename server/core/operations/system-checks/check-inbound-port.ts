import type { Cidr, Config } from "#server/config.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { readGreeting } from "#server/gateways/greeting.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { failed, type Finding, ok, unknown, warning } from "./finding.ts";
import { localAddress } from "./local-address.ts";

const PART = "port 25 in";
const SMTP_PORT = 25;
const ANSWER_TIMEOUT_MS = 5_000;

type Settings = Pick<Config, "hostname" | "localMode" | "bind" | "ports">;
type Dns = Pick<Resolver, "a" | "aaaa">;

/**
 * Checks from inside whether incoming mail can arrive: the hostname resolves to a public address, and this appliance
 * responds there. Doesn't detect a provider's firewall.
 */
export async function checkInboundPort(
  settings: Settings,
  dns: Dns,
  { port = SMTP_PORT, allowed = [] }: { port?: number; allowed?: Cidr[] } = {},
): Promise<Finding> {
  const { hostname, localMode } = settings;
  if (localMode)
    return unknown(
      PART,
      "Local mode doesn't receive mail from the internet",
      "Set POSTHOUSE_HOSTNAME to this server's public hostname",
    );
  const addresses = await lookUpAddresses(dns, hostname);
  if (addresses === null)
    return unknown(
      PART,
      `The DNS lookup of ${hostname} failed`,
      "Fix the DNS resolver first, then run the check again",
    );
  const [address] = addresses;
  if (address === undefined)
    return failed(
      PART,
      `${hostname} has no A or AAAA record, so other servers can't find this one`,
      `Add an A record for ${hostname} with this server's public address`,
    );
  const inside = addresses.find((each) => !isPublicAddress(each, allowed));
  if (inside !== undefined)
    return failed(
      PART,
      `${hostname} resolves to ${inside}, which can't be reached from the internet`,
      `Set the A record of ${hostname} to this server's public address`,
    );
  return checkGreeting(settings, { address, port });
}

/** Null if the lookup failed. */
export async function lookUpAddresses(dns: Dns, name: string): Promise<string[] | null> {
  const answers = await Promise.all([dns.a(name), dns.aaaa(name)]);
  const found = answers.flatMap((answer) => (answer.kind === "found" ? answer.records : []));
  return found.length === 0 && answers.some(({ kind }) => kind === "failed") ? null : found;
}

async function checkGreeting(
  { hostname, bind, ports }: Settings,
  { address, port }: { address: string; port: number },
): Promise<Finding> {
  const command = `nc -v ${hostname} ${port}`;
  const [outer, inner] = await Promise.all([
    readGreeting({ host: address, port }, ANSWER_TIMEOUT_MS),
    readGreeting({ host: localAddress(bind), port: ports.smtp }, ANSWER_TIMEOUT_MS),
  ]);
  const isOurs = outer.kind === "greeted" && outer.line.toLowerCase().includes(hostname);
  if (isOurs)
    return ok(PART, `${hostname} (${address}) responds on port ${port}, checked from this server`, {
      command,
    });
  if (inner.kind === "silent")
    return failed(
      PART,
      `Nothing is listening on port ${ports.smtp} (${inner.code})`,
      "Check that this machine has the mail role (POSTHOUSE_ROLES), and see `posthouse logs --process mail`",
    );
  const mapping =
    ports.smtp === port
      ? "A firewall may block it, or your router may not support hairpin NAT"
      : `Posthouse listens on port ${ports.smtp}. Forward port ${port} to it, or set SMTP_PORT=${port}`;
  if (outer.kind === "silent")
    return warning(
      PART,
      `Port ${port} of ${address} doesn't respond to this server (${outer.code})`,
      `${mapping}. Test the port from another network`,
      { command },
    );
  return failed(
    PART,
    `Another server responds on port ${port} of ${address}: ${outer.line}`,
    `Stop the other mail server, or set the A record of ${hostname} to this server's address. ${mapping}`,
    { command },
  );
}
