import type { DnsFinding, DomainFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import type { RecordPresence } from "#server/core/domains/records/evaluate-findings.ts";

/** A record, the servers' answers and their evaluation. */
export type CheckedRecord = {
  record: DomainRecordKind;
  /** Where it was looked for. */
  name: string;
  answers: DnsFinding[];
  judgement: RecordPresence;
  /** The DKIM key that was looked for. */
  key?: { id: string; isEverywhere: boolean };
};

/** What is known about a record after a check. */
export type Finding = Omit<DomainFinding, "domainId">;
