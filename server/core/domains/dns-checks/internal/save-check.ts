import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";

import {
  dkimKeys,
  type DnsFinding,
  type Domain,
  type DomainFinding,
  domainFindings,
  type DomainRecordKind,
  domains,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { lockDomain } from "#server/core/domains/domains/require-domain.ts";
import {
  isDkimRecord,
  publishedKeys,
  RECORD_RULES,
  replacedRecord,
  trackingHost,
} from "#server/core/domains/records/domain-records.ts";
import {
  type RecordPresence,
  relevantFindings,
} from "#server/core/domains/records/evaluate-findings.ts";
import { findReturnPath } from "#server/core/domains/records/return-path.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { markKeysSeen } from "#server/core/sending/dkim/dkim-keys.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { trimAnswers } from "./trim-answers.ts";

export type StatusChange = (ctx: Context, domain: Domain) => Promise<void>;

type Check = {
  mode: CheckMode;
  startedAt: string;
  checked: CheckedRecord[];
  onStatusChange?: StatusChange;
};

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
): Promise<{ current: Map<DomainRecordKind, RecordFinding>; lost: DomainRecordKind[] }> {
  const lost: DomainRecordKind[] = [];
  const known = new Map(
    (await selectPrevious(ctx.db, domainId, startedAt)).map((finding) => [finding.record, finding]),
  );
  const current = new Map<DomainRecordKind, RecordFinding>(known);
  for (const { record, answers, judgement } of checked) {
    const before = known.get(record) ?? initialFinding(record, status);
    if (before.isLater) continue;
    const { isMissingLong } = before;
    const settled = nextFindingState({ mode, judgement, at: startedAt, before, isMissingLong });
    const trimmed = trimAnswers(answers);
    const kept = RECORD_RULES[record].isMerged ? keepLastAnswers(before.answers, trimmed) : trimmed;
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
  missingSince: null,
  isLater: false,
  isMissingLong: false,
  answers: [],
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
function statusOf(findings: RecordFinding[]): Domain["status"] {
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

/** `verify`: requested by an admin or API client. `recheck`: automatic. */
export type CheckMode = "verify" | "recheck";

type FindingState = Pick<DomainFinding, "isVerified" | "missingSince">;

/**
 * Decides whether a record counts as found after another check.
 *
 * - A found record counts at once; a failed check changes nothing.
 * - A missing record counts at once if the check was requested (`verify`), or if the record didn't count
 *   before. Automatic checks must miss it twice, an hour apart, with no other answer in between, so that a
 *   DNS glitch doesn't stop mail.
 *
 * @param at when the check started
 * @param isMissingLong whether `missingSince` is at least an hour before that
 */
function nextFindingState({
  mode,
  judgement,
  at,
  before,
  isMissingLong,
}: {
  mode: CheckMode;
  judgement: RecordPresence;
  at: string;
  before: FindingState;
  isMissingLong: boolean;
}): FindingState {
  if (judgement === "present") return { isVerified: true, missingSince: null };
  if (judgement === "unknown")
    return { isVerified: before.isVerified, missingSince: before.missingSince };
  if (mode === "verify" || !before.isVerified || isMissingLong)
    return { isVerified: false, missingSince: null };
  return { isVerified: true, missingSince: before.missingSince ?? at };
}

/** Leaves out DKIM records of keys that were replaced while the check ran. */
async function withoutReplacedKeys(
  ctx: Context,
  domainId: string,
  checked: CheckedRecord[],
): Promise<CheckedRecord[]> {
  const keys = publishedKeys(
    await ctx.db.select().from(dkimKeys).where(eq(dkimKeys.domainId, domainId)),
  );
  return checked.filter(({ record, key }) => !isDkimRecord(record) || keys[record]?.id === key?.id);
}

/**
 * Decides which keys sign, after a check's findings are stored. The first key signs as soon as it is found, because
 * that is when the domain may start sending. Other keys must be on all of the domain's name servers first; until
 * then, mail is signed without them. A next key replaces its predecessor, and its finding the predecessor's.
 */
async function settleKeys(
  ctx: Context,
  { id: domainId, name }: Domain,
  checked: CheckedRecord[],
  findings: Map<DomainRecordKind, RecordFinding>,
): Promise<void> {
  const isFound = (record: DomainRecordKind) => findings.get(record)?.isVerified ?? false;
  const keys = checked.flatMap(({ record, key }) => (key ? [{ ...key, record }] : []));
  const idsOf = (some: typeof keys) => some.map(({ id }) => id);
  const activated = await markKeysSeen(ctx.db, domainId, {
    published: idsOf(
      keys.filter(({ record, isEverywhere }) =>
        record === "dkim" ? isFound(record) : isEverywhere,
      ),
    ),
    gone: idsOf(keys.filter(({ record }) => record === "dkim_ed25519" && !isFound(record))),
  });
  for (const { id, selector } of activated) {
    const { record } = keys.find((key) => key.id === id)!;
    if (!isDkimRecord(record)) throw new Error(`${record} is not the record of a key`);
    const replaced = replacedRecord(record);
    const finding = { ...findings.get(record)!, record: replaced };
    const isEither = inArray(domainFindings.record, [record, replaced]);
    await ctx.db.delete(domainFindings).where(and(eq(domainFindings.domainId, domainId), isEither));
    await ctx.db.insert(domainFindings).values({ ...finding, domainId });
    findings.delete(record);
    findings.set(replaced, finding);
    await recordAudit(ctx, "domain.dkim_key_activated", { domainId, name, selector });
  }
}

/** A record, the servers' answers and their evaluation. */
type CheckedRecord = {
  record: DomainRecordKind;
  /** Where it was looked for. */
  name: string;
  answers: DnsFinding[];
  judgement: RecordPresence;
  /** The DKIM key that was looked for. */
  key?: { id: string; isEverywhere: boolean };
};

/** What is known about a record after a check. */
type RecordFinding = Omit<DomainFinding, "domainId">;
