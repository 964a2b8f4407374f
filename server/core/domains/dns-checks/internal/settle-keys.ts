import { and, eq, inArray } from "drizzle-orm";

import {
  dkimKeys,
  type Domain,
  domainFindings,
  type DomainRecordKind,
} from "#drizzle/schema/index.ts";
import {
  isDkimRecord,
  publishedKeys,
  replacedRecord,
} from "#server/core/domains/records/dkim-records.ts";
import { markKeysSeen } from "#server/core/sending/dkim/mark-keys-seen.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";

import type { CheckedRecord, Finding } from "./checked-record.ts";

/** Leaves out DKIM records of keys that were replaced while the check ran. */
export async function withoutReplacedKeys(
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
export async function settleKeys(
  ctx: Context,
  { id: domainId, name }: Domain,
  checked: CheckedRecord[],
  findings: Map<DomainRecordKind, Finding>,
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
