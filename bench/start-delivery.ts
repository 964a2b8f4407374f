import { aDnsServer } from "#server/testing/fake-dns.ts";

import { startChild } from "./start-child.ts";

/**
 * Starts a worker, and a sink on this machine that accepts its mail to `sink.test`.
 *
 * @param execArgv flags of the worker
 */
export async function startDelivery({ execArgv = [] }: { execArgv?: string[] } = {}) {
  const dns = await aDnsServer({
    "sink.test": { MX: ["10 mx.sink.test"] },
    "mx.sink.test": { A: ["127.0.0.1"] },
  });
  const sink = await startChild("bench/sink.ts");
  const worker = await startChild("worker/main.ts", {
    env: {
      POSTHOUSE_DNS: `127.0.0.1:${dns.port}`,
      POSTHOUSE_OUTBOUND_PORT: String(sink.first.port),
    },
    execArgv,
  });
  return { dns, sink, worker };
}
