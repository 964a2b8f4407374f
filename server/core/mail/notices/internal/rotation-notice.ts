import { listDomainRecords, loadDomain } from "#server/core/domains/dns-checks/check-records.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import { type CompanyScope, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { NoticeContent } from "./notice-text.ts";

/** A domain whose new DKIM keys are waiting for their records. */
type Rotation = { id: string; name: string; records: DomainRecord[] };

/** Null once all records were found or the domain was deleted. */
export async function readRotation(
  { db, companyId }: CompanyScope,
  domainId: string,
): Promise<Rotation | null> {
  const ctx = createContext(db, companyId, { kind: "system", task: "send_notice" });
  try {
    const known = await loadDomain(ctx, domainId);
    const records = listDomainRecords(known).filter(({ record }) => record.endsWith("_next"));
    const { id, name } = known.domain;
    return records.length > 0 ? { id, name, records } : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The notice that a domain's DKIM keys are a year old, with the records that replace them. */
export function rotationNotice(
  { id, name, records }: Rotation,
  { baseUrl }: { baseUrl: string },
): NoticeContent {
  return {
    subject: `Publish the new DKIM ${records.length === 1 ? "record" : "records"} for ${name}`,
    paragraphs: [
      `The DKIM keys of ${name} are a year old, so Posthouse created new ones. Posthouse signs with the current keys until the new records are published.`,
      ...records.map((record) => `Type TXT, name ${record.name}, value ${record.value}`),
      "Posthouse switches to the new keys once all name servers of the domain have the records. Keep the current records until then. After the switch, the domain’s settings show when you can delete them.",
    ],
    link: { label: "Open the domain", url: `${baseUrl}/console/domains/${id}` },
  };
}
