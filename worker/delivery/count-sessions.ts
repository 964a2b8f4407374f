import { domainToASCII } from "node:url";

import type { Logger } from "pino";

import { CountBuffer } from "#server/core/shared/count-buffer.ts";
import {
  addSessionCounts,
  type SessionRow,
  toCounted,
} from "#server/core/sending/transport-security/tls-sessions.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";
import type { Db } from "#server/db/client.ts";

import type { TlsConnection } from "./carrier/open-first-peer.ts";

/** Counts connections for the TLS reports, in memory at first. */
export function createSessionCounter({ db, log }: { db: Db; log: Logger }) {
  const buffer = new CountBuffer<SessionRow>({
    write: (rows) => addSessionCounts(db, rows),
    what: "connections",
    log,
  });
  return {
    add({ domain, host, outcome, from, to, records }: TlsConnection): void {
      const counted = toCounted(outcome);
      const name = domainToASCII(domain);
      if (!counted || !name) return;
      const isFailed = counted.failure !== "";
      buffer.add({
        day: new Date().toISOString().slice(0, 10),
        domain: name,
        ...counted,
        host: isFailed || counted.policy === "dane" ? host : "",
        // Behind NAT, the address isn't how other servers see this one.
        sendingIp: isFailed && from !== null && isPublicAddress(from) ? from : "",
        receivingIp: isFailed ? (to ?? "") : "",
        records: records.join("\n"),
      });
    },
    flush: () => buffer.flush(),
  };
}
