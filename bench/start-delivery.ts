import type { SinkSettings } from "#server/testing/smtp-sink.ts";
import { aDnsServer, type Zones } from "#server/testing/fake-dns.ts";

import { startChild } from "./start-child.ts";

/** Domains, each with a mail server of its own, whose mail is accepted by one process. */
export type Receiver = { domains: string[] } & Pick<
  Partial<SinkSettings>,
  "replyDelayMs" | "roundTripMs"
>;

/**
 * Starts a worker, and a sink on this machine that accepts its mail to `sink.test`.
 *
 * @param execArgv flags of the worker
 * @param receivers more sinks, on loopback addresses of their own
 */
export async function startDelivery({
  execArgv = [],
  receivers = [],
}: { execArgv?: string[]; receivers?: Receiver[] } = {}) {
  const sink = await startChild("bench/sink.ts");
  const port = Number(sink.first.port);
  const sinks: Awaited<ReturnType<typeof startChild>>[] = [];
  const zones: Zones = zonesOf(["sink.test"], "127.0.0.1");
  for (const [at, { domains, ...settings }] of receivers.entries()) {
    const host = `127.0.0.${at + 2}`;
    const args = [JSON.stringify({ ...settings, host, port })];
    sinks.push(await startChild("bench/sink.ts", { args }));
    Object.assign(zones, zonesOf(domains, host));
  }
  const dns = await aDnsServer(zones);
  const worker = await startChild("worker/main.ts", {
    env: {
      POSTHOUSE_DNS: `127.0.0.1:${dns.port}`,
      POSTHOUSE_OUTBOUND_PORT: String(port),
    },
    execArgv,
  });
  return { dns, sink, receivers: sinks, worker };
}

function zonesOf(domains: string[], address: string): Zones {
  const zones: Zones = {};
  for (const domain of domains) {
    zones[domain] = { MX: [`10 mx.${domain}`] };
    zones[`mx.${domain}`] = { A: [address] };
  }
  return zones;
}
