import { createHash } from "node:crypto";

import { and, eq } from "drizzle-orm";
import pLimit from "p-limit";
import { v7 } from "uuid";

import { domains } from "#drizzle/schema/index.ts";
import { type Config, config } from "#server/config.ts";
import { ensurePlatform } from "#server/core/domains/own-domain/own-domain.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { field, mailDate } from "#server/core/sending/bounce-messages/dsn.ts";
import { acceptMessage, wakeMessages } from "#server/core/sending/messages/messages.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import type { CountedDay, DailyCounts } from "#server/core/shared/daily-counts.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";

/** The sender of reports: the appliance's own company and domain. */
export type Reporter = { companyId: string; domain: string; domainId: string };

/** A report to send by email. */
export type SentReport = {
  kind: "tls" | "dmarc";
  /** In UTC. */
  day: string;
  /** The domain that it's about. */
  domain: string;
  reportId: string;
  /** The report, compressed. */
  content: Buffer;
};

const HASH_BYTES = 16;

const FORMATS = {
  tls: { report: "TLS report", type: "application/tlsrpt+gzip", extension: "json.gz" },
  dmarc: { report: "DMARC aggregate report", type: "application/gzip", extension: "xml.gz" },
};

async function findReporter(db: Db): Promise<Reporter> {
  const { companyId, domain } = await ensurePlatform(db);
  const [found] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.companyId, companyId), eq(domains.name, domain)));
  return { companyId, domain, domainId: found!.id };
}

/** Unique for reporter, domain and day, so that receivers recognize a report that comes twice. */
export const reportIdOf = (
  kind: "tls" | "dmarc",
  { day, domain }: { day: string; domain: string },
) =>
  `${day}.${createHash("sha256").update(`${kind} ${domain}`).digest("hex").slice(0, HASH_BYTES)}`;

/** The bounds of a day in epoch seconds. */
export function periodOf(day: string): { begin: number; end: number } {
  const begin = Date.parse(`${day}T00:00:00Z`) / 1000;
  return { begin, end: begin + 86_399 };
}

/**
 * Queues a report, once even if it's repeated: its message's id derives from kind, domain and day. Failures to deliver it
 * are of no interest, so it has the null sender.
 */
export async function queueReport(
  db: Db,
  reporter: Reporter,
  { report, to }: { report: SentReport; to: string[] },
): Promise<void> {
  const { kind, day, domain, reportId } = report;
  const random = createHash("sha256").update(`${kind} ${day} ${domain}`).digest();
  const from = `posthouse@${reporter.domain}`;
  const subject = `Report Domain: ${domain} Submitter: ${reporter.domain} Report-ID: <${reportId}@${reporter.domain}>`;
  const messageId = `<${kind}.${reportId}@${reporter.domain}>`;
  await acceptMessage(db, {
    id: v7({ msecs: Date.parse(day), random: random.subarray(0, HASH_BYTES) }),
    companyId: reporter.companyId,
    origin: "report",
    mailbox: null,
    groupAddress: null,
    sender: "",
    isSenderTold: false,
    signingDomainId: reporter.domainId,
    clientAddress: null,
    content: compose(report, { from, to, subject, messageId, submitter: reporter.domain }),
    recipients: to.map((address) => ({ address, notify: ["never"] })),
    headerFrom: from,
    subject,
    messageId,
  });
}

type Header = { from: string; to: string[]; subject: string; messageId: string; submitter: string };

/** RFC 8460, 5.3, and RFC 7489, 7.2.1.1. */
function compose({ kind, day, domain, reportId, content }: SentReport, header: Header): Buffer {
  const { report, type, extension } = FORMATS[kind];
  const { begin, end } = periodOf(day);
  const suffix = kind === "tls" ? `!${reportId}` : "";
  const file = `${header.submitter}!${domain}!${begin}!${end}${suffix}.${extension}`;
  const boundary = `=_${createHash("sha256").update(content).digest("hex").slice(0, 32)}`;
  const kindOfParts = kind === "tls" ? "report; report-type=tlsrpt" : "mixed";
  const body = content.toString("base64").replace(/.{76}(?=.)/g, "$&\r\n");
  const lines = [
    field("From", `<${header.from}>`),
    field("To", header.to.map((address) => `<${address}>`).join(", ")),
    field("Subject", header.subject),
    field("Date", mailDate(new Date())),
    field("Message-ID", header.messageId),
    ...(kind === "tls"
      ? [
          field("TLS-Report-Domain", domain),
          field("TLS-Report-Submitter", header.submitter),
          // A report must arrive in spite of the failures that it's about (RFC 8460, 3; RFC 8689).
          field("TLS-Required", "No"),
        ]
      : []),
    field("Auto-Submitted", "auto-generated"),
    "MIME-Version: 1.0\r\n",
    `Content-Type: multipart/${kindOfParts};\r\n boundary="${boundary}"\r\n\r\n`,
    `--${boundary}\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\n`,
    `This is a ${report} about ${domain} for ${day} (UTC), from ${header.submitter}.\r\n`,
    `--${boundary}\r\nContent-Type: ${type};\r\n name="${file}"\r\n`,
    `Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment;\r\n filename="${file}"\r\n\r\n`,
    `${body}\r\n--${boundary}--\r\n`,
  ];
  return Buffer.from(lines.join(""));
}

const PAGE = 100;
const LOOKUPS_AT_ONCE = 10;

/** Counts of days whose reports couldn't be sent until then are deleted. */
const KEPT_DAYS = 2;

const DAY_MS = 86_400_000;

export type ReportOptions = {
  resolver: Pick<Resolver, "txt">;
  http: Pick<OutgoingHttp, "request">;
  home?: Pick<Config, "localMode">;
  now?: Date;
};

export type Means = ReportOptions & { reporter: Reporter };

type Steps = {
  setting: "tls_reports" | "dmarc_reports";
  counts: DailyCounts;
  report: (db: Db, counted: CountedDay, means: Means) => Promise<void>;
};

/** Reports about the domains of past days, and deletes the counts of days long past. */
export async function reportDays(db: Db, steps: Steps, options: ReportOptions): Promise<void> {
  const { home = config(), now = new Date() } = options;
  const isOff = home.localMode || (await currentSettings(db))[steps.setting] === "off";
  if (!isOff) await reportAll(db, steps, { ...options, before: dayOf(now) });
  await steps.counts.deleteOld(
    db,
    isOff ? dayOf(now) : dayOf(new Date(now.getTime() - KEPT_DAYS * DAY_MS)),
  );
}

const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);

async function reportAll(
  db: Db,
  { counts, report }: Steps,
  { before, ...options }: ReportOptions & { before: string },
): Promise<void> {
  let after: CountedDay = { day: "1970-01-01", domain: "" };
  let reporter: Reporter | null = null;
  const limit = pLimit(LOOKUPS_AT_ONCE);
  for (;;) {
    const days = await counts.list(db, { before, after, limit: PAGE });
    if (days.length === 0) break;
    reporter ??= await findReporter(db);
    const means = { ...options, reporter };
    await Promise.all(days.map((counted) => limit(() => report(db, counted, means))));
    after = days.at(-1)!;
  }
  if (reporter) wakeMessages(db);
}

/** Where a domain wants reports to be sent. */
export type ReportAddress = {
  address: string;
  /** The largest message that it accepts (RFC 7489, 6.2); null without a limit. */
  bytesMax: number | null;
};

const UNITS: Record<string, number> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** RFC 7489, 6.3 requires two. */
const URIS_MAX = 4;

/** Reads the addresses of a list of URIs; other schemes and invalid ones are skipped. */
export const readReportAddresses = (uris: string): ReportAddress[] =>
  splitUris(uris).flatMap((uri) => readMailto(uri) ?? []);

/** The URIs of a `rua` tag. */
export const splitUris = (uris: string): string[] =>
  uris
    .split(",")
    .map((uri) => uri.trim())
    .slice(0, URIS_MAX);

function readMailto(uri: string): ReportAddress | null {
  const [, path, digits, unit = ""] =
    /^mailto:([^?!]+)(?:\?[^!]*)?(?:!(\d{1,9})([kmgt]?))?$/i.exec(uri) ?? [];
  const parsed = path ? parseAddress(decode(path)) : null;
  if (!parsed) return null;
  const bytesMax = digits ? Number(digits) * UNITS[unit.toLowerCase()]! : null;
  return { address: parsed.address, bytesMax };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
