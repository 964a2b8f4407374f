import { listDomainRecords, loadDomain } from "#server/core/domains/dns-checks/check-records.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import { type CompanyScope, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { NoticeContent } from "./notice-text.ts";

type MissingRecords = { id: string; name: string; records: DomainRecord[] };

/** Those of the records that are still expected and missing; null if there are none or the domain was deleted. */
export async function readMissingRecords(
  { db, companyId }: CompanyScope,
  { domainId, records: lost }: { domainId: string; records: string[] },
): Promise<MissingRecords | null> {
  const ctx = createContext(db, companyId, { kind: "system", task: "send_notice" });
  try {
    const known = await loadDomain(ctx, domainId);
    const records = listDomainRecords(known).filter(
      ({ record, isVerified }) => !isVerified && lost.includes(record),
    );
    const { id, name } = known.domain;
    return records.length > 0 ? { id, name, records } : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

export function missingRecordsNotice(
  { id, name, records }: MissingRecords,
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeContent {
  const [what, pronoun] = records.length === 1 ? ["record", "it"] : ["records", "them"];
  return {
    subject: `DNS ${what} of ${name} ${records.length === 1 ? "is" : "are"} missing`,
    paragraphs: [
      `Posthouse could no longer find ${pronoun} for an hour. Mail of ${companyName} to or from ${name} may be rejected, or not arrive, until you publish ${pronoun} again:`,
      ...records.map(
        ({ type, name: host, value, priority }) =>
          `Type ${type}, name ${host}${priority === undefined ? "" : `, priority ${priority}`}, value ${value}`,
      ),
    ],
    link: { label: "Open the domain", url: `${baseUrl}/console/domains/${id}` },
  };
}
