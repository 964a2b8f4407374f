import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import { checkRecords } from "./check-records.ts";
import type { DueDomain } from "./lease-due-domains.ts";
import { recheckOwnership } from "./recheck-ownership.ts";

/** Rechecks a domain's records automatically. Ignores domains deleted meanwhile. */
export async function recheckDomain(
  db: Db,
  { id, companyId }: DueDomain,
  dns: ZoneDns,
): Promise<void> {
  const ctx = createContext(db, companyId, { kind: "system", task: "recheck_domains" });
  try {
    await checkRecords(ctx, id, { dns, mode: "recheck" });
    await recheckOwnership(ctx, id, dns);
  } catch (error) {
    if (!(error instanceof Refusal && error.reason === "not_found")) throw error;
  }
}
