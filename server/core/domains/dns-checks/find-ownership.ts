import type { Domain } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { domainDns } from "#server/core/domains/domains/dns.ts";
import type { Judgement } from "#server/core/domains/records/judge.ts";
import { judgeRecord } from "#server/core/domains/records/judge-record.ts";
import { ownershipPlace } from "#server/core/domains/records/record-place.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import { dnsFor } from "./internal/dns-for.ts";
import { doubtDenials } from "./internal/doubt-denials.ts";
import { beginCheck, keepFindings } from "./internal/keep-findings.ts";
import { expectationOf } from "./load-domain.ts";
import type { CheckMode } from "./internal/settle-finding.ts";

/**
 * Looks for the proof of ownership of one of the company's domains and keeps what was found. Changes
 * nothing else: what the proof brings about is the caller's. Must not run in a transaction, for it
 * waits for the network.
 *
 * @returns whether it is there; false also when nobody answered
 */
export async function findOwnership(
  ctx: Context,
  domain: Domain,
  dns: ZoneDns = domainDns(),
): Promise<boolean> {
  return (await lookForOwnership(ctx, domain, { dns, mode: "verify" })) === "present";
}

/** Like `findOwnership`, but distinguishes a missing record from a DNS failure. */
export async function lookForOwnership(
  ctx: Context,
  domain: Domain,
  { dns, mode }: { dns: ZoneDns; mode: CheckMode },
): Promise<Judgement> {
  const startedAt = await beginCheck(ctx.db);
  const { name, type } = ownershipPlace(domain);
  const asked = await dnsFor({ domain, dkimKey: null }, dns).ask(name, type);
  const answers = mode === "recheck" ? doubtDenials(asked) : asked;
  const judgement = judgeRecord("ownership", answers, expectationOf({ domain, dkimKey: null }));
  await keepFindings(ctx, domain.id, {
    ...{ mode, startedAt },
    looked: [{ record: "ownership", answers, judgement }],
  });
  return judgement;
}
