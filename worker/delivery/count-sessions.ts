import { domainToASCII } from "node:url";

import type { Logger } from "pino";

import { CountBuffer } from "#server/core/shared/count-buffer.ts";
import {
  addSessionCounts,
  type SessionRow,
  toCounted,
} from "#server/core/sending/transport-security/session-counts.ts";
import type { Db } from "#server/db/client.ts";

import type { TlsConnection } from "./carrier/open-first-peer.ts";

/** Counts connections for the TLS reports, in memory at first. */
export function createSessionCounter({ db, log }: { db: Db; log: Logger }) {
  const buffer = new CountBuffer<SessionRow>({
    write: (rows) => addSessionCounts(db, rows),
    ...{ what: "connections", log },
  });
  return {
    add({ domain, host, outcome }: TlsConnection): void {
      const counted = toCounted(outcome);
      const name = domainToASCII(domain);
      if (!counted || !name) return;
      const day = new Date().toISOString().slice(0, 10);
      buffer.add({ day, domain: name, host: counted.failure === "" ? "" : host, ...counted });
    },
    flush: () => buffer.flush(),
  };
}
