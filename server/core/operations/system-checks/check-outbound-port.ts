import type { Config } from "#server/config.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { type Greeting, readGreeting } from "#server/gateways/greeting.ts";

import { failed, type Finding, ok, unknown, warning } from "./finding.ts";

const PART = "port 25 out";
const ANSWER_TIMEOUT_MS = 8_000;

/** Domains whose mail servers are always available. */
const WELL_KNOWN = ["gmail.com", "outlook.com"];

type Settings = Pick<Config, "relay" | "outboundPort" | "localMode">;
type Dns = Pick<Resolver, "mx" | "a">;

/** Checks that outgoing connections to well-known mail servers, or to the relay, work. Sends nothing. */
export async function checkOutboundPort(settings: Settings, dns: Dns): Promise<Finding> {
  const { relay, outboundPort, localMode } = settings;
  if (relay) return checkRelay(relay);
  const servers = await Promise.all(WELL_KNOWN.map((domain) => findServer(dns, domain)));
  const known = servers.filter((server) => server !== null);
  if (known.length === 0)
    return unknown(
      PART,
      `Can't test port 25: the DNS lookup of ${WELL_KNOWN.join(" and ")} failed`,
      "Fix the DNS resolver first, then run the check again",
    );
  const tried = await Promise.all(
    known.map(async ({ name, address }) => ({
      name,
      greeting: await readGreeting({ host: address, port: outboundPort }, ANSWER_TIMEOUT_MS),
    })),
  );
  const answered = tried.find(({ greeting }) => greeting.kind === "greeted");
  if (answered) return ok(PART, `Connected to ${answered.name} on port ${outboundPort}`);
  const found = formatFailures(tried, outboundPort);
  const advice =
    "Most hosting providers block outgoing port 25 by default. Ask yours to open it, or set POSTHOUSE_RELAY_URL to an SMTP relay";
  const command = `nc -vz ${tried[0]!.name} ${outboundPort}`;
  return localMode
    ? warning(PART, found, `${advice}. Mail to your own mailboxes isn't affected`, { command })
    : failed(PART, found, advice, { command });
}

async function checkRelay({ host, port, implicitTls }: NonNullable<Settings["relay"]>) {
  const greeting = await readGreeting({ host, port, tls: implicitTls }, ANSWER_TIMEOUT_MS);
  return greeting.kind === "greeted"
    ? ok(PART, `All mail is sent through ${host}, which responds on port ${port}`)
    : failed(
        PART,
        `The relay ${host} doesn't respond on port ${port} (${greeting.code})`,
        "Mail stays queued until it does. Check POSTHOUSE_RELAY_URL, and that the relay is running",
      );
}

type Server = { name: string; address: string };

async function findServer(dns: Dns, domain: string): Promise<Server | null> {
  const exchanges = await dns.mx(domain);
  if (exchanges.kind !== "found") return null;
  const [first] = exchanges.records.toSorted((a, b) => a.preference - b.preference);
  const addresses = await dns.a(first!.exchange);
  return addresses.kind === "found"
    ? { name: first!.exchange, address: addresses.records[0]! }
    : null;
}

function formatFailures(tried: { name: string; greeting: Greeting }[], port: number): string {
  const codes = tried.flatMap(({ greeting }) => (greeting.kind === "silent" ? greeting.code : []));
  const names = tried.map(({ name }) => name).join(" or ");
  return `Can't connect to ${names} on port ${port} (${[...new Set(codes)].join(", ")})`;
}
