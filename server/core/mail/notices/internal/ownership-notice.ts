import { ownershipPlace, ownershipValue } from "#server/core/domains/records/domain-records.ts";
import { formatUtc } from "#server/core/shared/format-utc.ts";

import type { Notice } from "#server/core/platform/notices/notify-admins.ts";
import type { NoticeContent } from "./notice-text.ts";
import type { OwnershipTrouble } from "./read-ownership-trouble.ts";

export type OwnershipNotice = Extract<Notice, { kind: "ownership_missing" | "ownership_lost" }>;

/** The notice that a domain's ownership record is missing, or that another company took the domain over. */
export function ownershipNotice(
  kind: OwnershipNotice["kind"],
  trouble: OwnershipTrouble,
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeContent {
  const { domain, graceEndsAt } = trouble;
  const { name } = domain;
  const link = { label: "Open the domain", url: `${baseUrl}/console/domains/${domain.id}` };
  if (kind === "ownership_lost")
    return {
      subject: `${name} now belongs to another company`,
      paragraphs: [
        `Another company on this appliance verified that it owns ${name}. ${companyName}'s ownership record had been missing for more than 14 days.`,
        `${companyName} can no longer send from ${name} or receive its mail. Its mailboxes can still be read; delete them when you no longer need them.`,
      ],
      link,
    };
  return {
    subject: `The ownership record of ${name} is missing`,
    paragraphs: [
      `Posthouse can’t find the DNS record that verifies that ${companyName} owns ${name}. Mail keeps working for now.`,
      `If you still own the domain, publish the record again: type TXT, name ${ownershipPlace(domain).name}, value ${ownershipValue(domain)}`,
      `From ${formatUtc(graceEndsAt!)}, another company on this appliance can take over the domain by verifying that it owns it.`,
    ],
    link,
  };
}
