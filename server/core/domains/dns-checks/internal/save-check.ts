import { eq, getTableColumns, sql } from "drizzle-orm";

import {
  type DnsFinding,
  type Domain,
  domainFindings,
  type DomainRecordKind,
  domains,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { lockDomain } from "#server/core/domains/domains/require-domain.ts";
import { relevantFindings } from "#server/core/domains/records/evaluate-findings.ts";
import { findReturnPath } from "#server/core/domains/records/return-path.ts";
import { trackingHost } from "#server/core/domains/records/tracking-host.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import type { CheckedRecord, Finding } from "./checked-record.ts";
import { type CheckMode, nextFindingState } from "./next-finding-state.ts";
import { settleKeys, withoutReplacedKeys } from "./settle-keys.ts";
import { trimAnswers } from "./trim-answers.ts";

export type StatusChange = (ctx: Context, domain: Domain) => Promise<void>;

type Check = {
  mode: CheckMode;
  startedAt: string;
  checked: CheckedRecord[];
  onStatusChange?: StatusChange;
};

/** Records whose published value includes the existing content. */
const MERGED: DomainRecordKind[] = ["spf", "return_path_spf", "dmarc"];

/** The database's time, which orders the results of checks. Call it before the first query. */
export async function beginCheck(db: Db): Promise<string> {
  const [row] = await db.execute<{ at: string }>(sql`select clock_timestamp()::text as at`);
  return row!.at;
}

/**
 * Stores a check's findings and updates the domain's status and return path, in one transaction under the lock of its row.
 * Results of checks that started later stay. Status changes by automatic checks are audited.
 *
 * @returns the statuses before and after
 * @throws Refusal `not_found` if the domain was deleted meanwhile
 */
export async function saveCheck(
  ctx: Context,
  domainId: string,
  check: Check,
): Promise<{ before: Domain["status"]; after: Domain["status"] }> {
  return inTransaction(ctx, async (ctx) => {
    const domain = await lockDomain(ctx, domainId);
    const checked = withoutFormerHost(
      domain,
      await withoutReplacedKeys(ctx, domainId, check.checked),
    );
    const { current, lost } = await storeFindings(ctx, domain, { ...check, checked });
    if (lost.length > 0)
      await notifyAdmins(ctx, { kind: "records_missing", domainId, records: lost });
    await settleKeys(ctx, domain, checked, current);
    const findings = [...current.values()];
    const { name, status: before } = domain;
    // Checking the ownership record alone says nothing about the others.
    const settlesStatus =
      domain.ownershipProvenAt !== null &&
      check.checked.some(({ record }) => record !== "ownership");
    const settled = settlesStatus && {
      status: statusOf(findings),
      returnPath: findReturnPath(domain, findings, config().hostname),
    };
    const [changed] = await ctx.db
      .update(domains)
      .set({
        ...settled,
        checkedAt: sql`greatest(${domains.checkedAt}, ${check.startedAt}::timestamptz)`,
      })
      .where(eq(domains.id, domainId))
      .returning();
    const { status: after } = changed!;
    if (before !== after) {
      if (check.mode === "recheck")
        await recordAudit(ctx, "domain.status_changed", { domainId, name, before, after });
      await check.onStatusChange?.(ctx, changed!);
    }
    return { before, after };
  });
}

/** Leaves out the record of a tracking host that was changed while the check ran. */
const withoutFormerHost = (domain: Domain, checked: CheckedRecord[]): CheckedRecord[] =>
  checked.filter(({ record, name }) => record !== "tracking" || name === trackingHost(domain));

/** Returns all findings as of the check, and the records that an automatic check no longer counts as found. */
async function storeFindings(
  ctx: Context,
  { id: domainId, status }: Domain,
  { mode, startedAt, checked }: Check,
): Promise<{ current: Map<DomainRecordKind, Finding>; lost: DomainRecordKind[] }> {
  const lost: DomainRecordKind[] = [];
  const known = new Map(
    (await selectPrevious(ctx.db, domainId, startedAt)).map((finding) => [finding.record, finding]),
  );
  const current = new Map<DomainRecordKind, Finding>(known);
  for (const { record, answers, judgement } of checked) {
    const before = known.get(record) ?? initialFinding(record, status);
    if (before.isLater) continue;
    const { isMissingLong } = before;
    const settled = nextFindingState({ mode, judgement, at: startedAt, before, isMissingLong });
    const trimmed = trimAnswers(answers);
    const kept = MERGED.includes(record) ? keepLastAnswers(before.answers, trimmed) : trimmed;
    const finding = { answers: kept, checkedAt: startedAt, ...settled };
    await ctx.db
      .insert(domainFindings)
      .values({ domainId, record, ...finding })
      .onConflictDoUpdate({
        target: [domainFindings.domainId, domainFindings.record],
        set: finding,
      });
    current.set(record, { record, ...finding });
    // The ownership record has notices of its own.
    if (mode === "recheck" && record !== "ownership" && before.isVerified && !settled.isVerified)
      lost.push(record);
  }
  return { current, lost };
}

/** A domain may have been verified before findings were stored: its records count as found. */
const initialFinding = (record: DomainRecordKind, status: Domain["status"]) => ({
  isVerified: status === "verified" && (record === "spf" || record === "dkim"),
  ...{ missingSince: null, isLater: false, isMissingLong: false, answers: [] },
});

function selectPrevious(db: Db, domainId: string, startedAt: string) {
  const { checkedAt, missingSince } = domainFindings;
  const started = sql`${startedAt}::timestamptz`;
  return db
    .select({
      ...getTableColumns(domainFindings),
      isLater: sql<boolean>`${checkedAt} > ${started}`,
      isMissingLong: sql<boolean>`coalesce(${missingSince} <= ${started} - interval '1 hour', false)`,
    })
    .from(domainFindings)
    .where(eq(domainFindings.domainId, domainId));
}

/**
 * The status of a domain with verified ownership: SPF and DKIM make it verified, one of them partially
 * verified.
 */
function statusOf(findings: Finding[]): Domain["status"] {
  const verified = new Set(
    findings.filter(({ isVerified }) => isVerified).map(({ record }) => record),
  );
  if (verified.has("spf") && verified.has("dkim")) return "verified";
  return verified.has("spf") || verified.has("dkim") ? "partially_verified" : "pending";
}

/**
 * If all servers failed, keeps the last records: the value to publish is merged from them, and must not lose
 * them during an outage.
 */
function keepLastAnswers(before: DnsFinding[], now: DnsFinding[]): DnsFinding[] {
  if (now.some(({ kind }) => kind !== "failed")) return now;
  const counted = relevantFindings(before);
  const known =
    counted.find(({ spf }) => spf?.authorizes === "yes") ??
    counted.find(({ spf }) => spf) ??
    counted.find(({ records }) => records.length > 0);
  if (!known) return now;
  const { records, spf } = known;
  return now.map((answer) => ({ ...answer, records, ...(spf && { spf }) }));
}
