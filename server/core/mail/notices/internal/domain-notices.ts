import { and, eq, isNotNull, sql } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  listPublishableRecords,
  loadDomain,
} from "#server/core/domains/dns-checks/check-records.ts";
import { type Examination, examineDomain } from "#server/core/domains/doctor/examine-domain.ts";
import { OWNERSHIP_GRACE_DAYS } from "#server/core/domains/ownership/claims.ts";
import {
  type DomainRecord,
  ownershipPlace,
  ownershipValue,
} from "#server/core/domains/records/domain-records.ts";
import type { Notice } from "#server/core/platform/notices/notify-admins.ts";
import type { AttachmentInput } from "#server/core/sending/emails/email-input.ts";
import { type CompanyScope, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { formatUtc } from "#server/core/shared/text.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import type { NoticeContent, NoticeText } from "./send-to-admins.ts";

type RecordsNotice = Extract<JobPayload<"send_notice">["notice"], { kind: "dns_records" }>;

/** The DNS records of a domain for the person who manages its DNS; null if there are none to publish, or the domain was deleted meanwhile. */
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
  if (!domain || domain.records.length === 0) return null;
  return {
    text: recordsNotice(domain, { companyName, sentBy }),
    // There is one recipient, who needs no id but the address.
    people: [{ id: to, name: "", email: to }],
    extras: { replyTo: [{ name: "", address: sentBy }], attachments: [zoneFile(domain)] },
  };
}

const zoneFile = ({ name, zoneFile }: Examination): AttachmentInput => ({
  filename: `${name}.zone.txt`,
  contentType: "text/plain",
  contentId: null,
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

type MissingRecords = { id: string; name: string; records: DomainRecord[] };

/** Those of the records that are still expected and missing; null if there are none or the domain was deleted. */
export async function readMissingRecords(
  { db, companyId }: CompanyScope,
  { domainId, records: lost }: { domainId: string; records: string[] },
): Promise<MissingRecords | null> {
  const ctx = createContext(db, companyId, { kind: "system", task: "send_notice" });
  try {
    const known = await loadDomain(ctx, domainId);
    const records = listPublishableRecords(known).filter(
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

export type OwnershipTrouble = {
  domain: Domain;
  /** When another company can take the name over; null after that happened. */
  graceEndsAt: string | null;
};

/** The problem a notice is about; null when it is solved or the domain was deleted. */
export async function readOwnershipTrouble(
  ctx: CompanyScope,
  { kind, domainId }: OwnershipNotice,
): Promise<OwnershipTrouble | null> {
  const since = kind === "ownership_lost" ? domains.ownershipLostAt : domains.ownershipMissingSince;
  const [trouble] = await ctx.db
    .select({
      domain: domains,
      graceEndsAt: sql<
        string | null
      >`${domains.ownershipMissingSince} + make_interval(days => ${OWNERSHIP_GRACE_DAYS})`,
    })
    .from(domains)
    .where(and(eq(domains.id, domainId), eq(domains.companyId, ctx.companyId), isNotNull(since)));
  return trouble ?? null;
}

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
    const records = listPublishableRecords(known).filter(({ record }) => record.endsWith("_next"));
    const { id, name } = known.domain;
    return records.length > 0 ? { id, name, records } : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The notice that a domain's DKIM keys are a year old, with the records that replace them. */
export const rotationNotice = (
  { id, name, records }: Rotation,
  { baseUrl }: { baseUrl: string },
): NoticeContent => ({
  subject: `Publish the new DKIM ${records.length === 1 ? "record" : "records"} for ${name}`,
  paragraphs: [
    `The DKIM keys of ${name} are a year old, so Posthouse created new ones. Posthouse signs with the current keys until the new records are published.`,
    ...records.map((record) => `Type TXT, name ${record.name}, value ${record.value}`),
    "Posthouse switches to the new keys once all name servers of the domain have the records. Keep the current records until then. After the switch, the domain’s settings show when you can delete them.",
  ],
  link: { label: "Open the domain", url: `${baseUrl}/console/domains/${id}` },
});
