import type { Domain } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { domainDns } from "#server/core/domains/domains/dns.ts";
import type { RecordPresence } from "#server/core/domains/records/evaluate-findings.ts";
import { evaluateRecord } from "#server/core/domains/records/evaluate-record.ts";
import { ownershipPlace } from "#server/core/domains/records/record-place.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import { createDnsClient } from "./internal/dns-for.ts";
import { rejectUnreliableDenials } from "./internal/reject-unreliable-denials.ts";
import { beginCheck, saveCheck } from "./internal/save-check.ts";
import { toExpectation } from "./load-domain.ts";
import type { CheckMode } from "./internal/next-finding-state.ts";

/**
 * Checks the ownership record of one of the company's domains and stores the findings; changes nothing else.
 * Must not run in a transaction, since it waits for the network.
 *
 * @returns whether it was found; false also if no server answered
 */
export async function findOwnership(
  ctx: Context,
  domain: Domain,
  dns: ZoneDns = domainDns(),
): Promise<boolean> {
  return (await checkOwnershipRecord(ctx, domain, { dns, mode: "verify" })) === "present";
}

/** Like `findOwnership`, but distinguishes a missing record from a DNS failure. */
export async function checkOwnershipRecord(
  ctx: Context,
  domain: Domain,
  { dns, mode }: { dns: ZoneDns; mode: CheckMode },
): Promise<RecordPresence> {
  const startedAt = await beginCheck(ctx.db);
  const { name, type } = ownershipPlace(domain);
  const asked = await createDnsClient({ domain, dkimKeys: {} }, dns).ask(name, type);
  const answers = mode === "recheck" ? rejectUnreliableDenials(asked) : asked;
  const judgement = evaluateRecord("ownership", answers, toExpectation({ domain, dkimKeys: {} }));
  await saveCheck(ctx, domain.id, {
    ...{ mode, startedAt },
    checked: [{ record: "ownership", name, answers, judgement }],
  });
  return judgement;
}
