import { config } from "#server/config.ts";
import { examineDomain, type Examination } from "#server/core/domains/doctor/examine-domain.ts";
import { type CompanyScope, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { AttachmentInput } from "#server/core/sending/emails/email-input.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import type { NoticeText } from "./notice-text.ts";

type RecordsNotice = Extract<JobPayload<"send_notice">["notice"], { kind: "dns_records" }>;

/** The DNS records of a domain for the person who manages its DNS; null if the domain was deleted meanwhile. */
export async function prepareRecordsNotice(
  { db, companyId }: CompanyScope,
  { domainId, to, sentBy }: RecordsNotice,
  companyName: string,
) {
  const ctx = createContext(db, companyId, { kind: "system", task: "send_notice" });
  const domain = await examineDomain(ctx, domainId, { dns: null }).catch((error: unknown) => {
    if (error instanceof Refusal) return null;
    throw error;
  });
  if (!domain) return null;
  return {
    text: recordsNotice(domain, { companyName, sentBy }),
    // There is one recipient, who needs no id but the address.
    people: [{ id: to, name: "", email: to }],
    extras: { replyTo: [{ name: "", address: sentBy }], attachments: [zoneFile(domain)] },
  };
}

const zoneFile = ({ name, zoneFile }: Examination): AttachmentInput => ({
  ...{ filename: `${name}.zone.txt`, contentType: "text/plain", contentId: null },
  content: Buffer.from(zoneFile),
});

function recordsNotice(
  { name, zone, records, ...domain }: Examination,
  { companyName, sentBy }: { companyName: string; sentBy: string },
): NoticeText {
  const { hostname, baseUrl } = config();
  const purpose = domain.isOwnershipVerified
    ? `They let ${name} send and receive mail through ${hostname}.`
    : `They verify that ${companyName} owns the domain, and let it send and receive mail through ${hostname}.`;
  return {
    subject: `DNS records to publish for ${name}`,
    paragraphs: [
      `${sentBy} asks you to publish DNS records for ${name}, a domain of ${companyName}. ${purpose}`,
      `Publish them in the DNS of ${zone}. Hosts are given in full: if your DNS provider appends .${zone} to them, leave it out. Don’t add quotes or spaces to values.`,
      `If a host already has a TXT record that starts with v=spf1 or v=DMARC1, replace it: the value below includes its content. The MX record moves incoming mail of ${name} to ${hostname}, so ask ${sentBy} first if mail arrives elsewhere today. Don’t change any other records.`,
      "The attached zone file contains the same records, for DNS providers that import them.",
    ],
    listing: records
      .filter(({ expected }) => expected !== "")
      .map(recordLines)
      .join("\n\n"),
    link: null,
    footer: `You’re receiving this email because ${sentBy} entered your address at ${new URL(baseUrl).host}. Your reply goes to them. If you don’t know them, ignore this email.`,
  };
}

const recordLines = ({
  type,
  name,
  expected,
  priority,
  isRequired,
}: Examination["records"][number]) =>
  [
    `Type:      ${type}${isRequired ? " (required)" : ""}`,
    `Host:      ${name}`,
    ...(priority === undefined ? [] : [`Priority:  ${priority}`]),
    `Value:     ${expected}`,
  ].join("\n");
