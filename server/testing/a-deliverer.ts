import ipaddr from "ipaddr.js";
import { pino } from "pino";

import { pool } from "#server/db/pool.ts";
import type { Connection } from "#server/db/client.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { createOutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { Deliverer } from "#worker/webhooks/deliverer.ts";

import { CERTIFICATE } from "./self-signed.ts";

/** A running webhook deliverer that may call receivers on loopback. */
export async function aDeliverer({ connection = pool() }: { connection?: Connection } = {}) {
  const errors: string[] = [];
  const http = createOutgoingHttp({
    resolver: createResolver({ dnsServers: null }),
    allowedPrivate: [ipaddr.parseCIDR("127.0.0.0/8")],
    ca: CERTIFICATE,
    connectionsPerHostMax: 1000,
  });
  const log = pino({ level: "warn" }, { write: (line) => void errors.push(line) });
  const deliverer = new Deliverer({ connection, http, log });
  await deliverer.start();
  return {
    /** Its log entries of level warning and above. */
    errors,
    stop: () => deliverer.stop(),
  };
}
