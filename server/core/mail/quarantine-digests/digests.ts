import { and, asc, gt, lte, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { parse, stringify, v7 } from "uuid";

import { quarantine } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { isOwn, type OwnQuarantined } from "#server/core/mail/quarantine/own-quarantine.ts";
import { knownLanguage } from "#server/core/mailboxes/account/language.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { acceptMessage, wakeMessages } from "#server/core/sending/messages/messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { readExpiringToken, signExpiringToken } from "#server/core/shared/secrets/link-token.ts";
import { escapeMarkup, formatUtc } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import { type Language, type MailTexts, mailTexts } from "#server/universal/texts/languages.ts";

/** A mailbox with messages that no digest has listed yet. */
type DueDigest = {
  address: string;
  name: string;
  companyId: string;
  companyName: string;
  language: string;
  domainId: string;
  /** The mailbox user may release spam. */
  canRelease: boolean;
  since: string;
  until: string;
};

const BATCH = 100;

/** Messages that are older have been left out of digests for a week, because their policy was off or digests failed. */
const OLDEST_DAYS = 7;

/** A message is committed a moment after its timestamp. */
const SETTLE_MINUTES = 5;

/**
 * Emails mailbox users about their messages that were quarantined or put on hold in the day up to the last digest hour. A
 * mailbox gets one digest per day at most, however many workers run: the digest and the end of its period are committed
 * together.
 *
 * @throws Error if some of them couldn't be sent; run it again
 */
export async function sendDigests(db: Db, log: Pick<Logger, "error">): Promise<void> {
  const { quarantine_digest_hour: hour } = await readSettings(db);
  let failures = 0;
  let after = "";
  for (;;) {
    const due = await listDue(db, { hour, after });
    for (const mailbox of due)
      await sendDigest(db, mailbox).catch((err: unknown) => {
        failures += 1;
        log.error({ err, companyId: mailbox.companyId }, "could not send a quarantine digest");
      });
    if (due.length < BATCH) break;
    after = due.at(-1)!.address;
  }
  wakeMessages(db);
  if (failures > 0) throw new Error(`${failures} quarantine digests could not be sent`);
}

/**
 * Mailboxes whose policy is a daily digest, with messages since their last one. Policies are looked up only for mailboxes
 * with messages, in companies that turned digests on somewhere.
 */
const listDue = (db: Db, { hour, after }: { hour: number; after: string }) =>
  db.execute<DueDigest>(sql`
    with clock as (select statement_timestamp() - make_interval(mins => ${SETTLE_MINUTES}) as settled),
    period as (
      select last_hour - case when last_hour > settled then interval '1 day' else interval '0' end as until
      from clock cross join lateral (
        select date_trunc('day', settled, 'UTC') + make_interval(hours => ${hour}) as last_hour) h
    ), asked as (
      select distinct company_id from org_units where quarantine_digest = 'daily'
    ), newest as (
      select recipient as address, max(q.created_at) as at
      from quarantine q join asked using (company_id) cross join unnest(q.recipients) recipient, period
      where q.created_at > until - make_interval(days => ${OLDEST_DAYS}) and q.created_at <= until
        and q.reason in ('spam', 'virus') and q.released_as is null
      group by 1
      union all
      select b.address, max(greatest(m.created_at, b.sending_held_at))
      from mailboxes b join asked using (company_id)
        join messages m on m.mailbox = b.address and m.company_id = b.company_id
        join message_recipients r on r.message_id = m.id and r.state = 'held', period
      where b.sending_held_at is not null and greatest(m.created_at, b.sending_held_at) <= until
      group by 1
    )
    select m.address, m.name, m.company_id as "companyId", c.name as "companyName", coalesce(m.language, c.language) as language,
      m.domain_id as "domainId", p.quarantine_release = 'spam' as "canRelease",
      since::text as since, until::text as until
    from (select address, max(at) as at from newest group by 1) n
      join mailboxes m on m.address = n.address
      join companies c on c.id = m.company_id and c.suspended_at is null
      join mailbox_policies p on p.address = m.address and p.quarantine_digest = 'daily'
      left join quarantine_digests d on d.mailbox = m.address
      cross join period
      cross join lateral (
        select greatest(coalesce(d.listed_until, until - interval '1 day'),
          until - make_interval(days => ${OLDEST_DAYS}), m.created_at) as since) s
    where m.address > ${after} and m.suspended_at is null and n.at > since
    order by m.address limit ${BATCH}`);

async function sendDigest(db: Db, mailbox: DueDigest): Promise<void> {
  const { address, companyId, since, until } = mailbox;
  await db.transaction(async (tx) => {
    // Another worker that sends this digest has the row until it commits, and then this changes nothing.
    const [claimed] = await tx.execute(sql`
      insert into quarantine_digests as last (mailbox, company_id, listed_until)
      values (${address}, ${companyId}, ${until})
      on conflict (mailbox) do update
        set company_id = excluded.company_id, listed_until = excluded.listed_until
        where last.listed_until < excluded.listed_until
      returning mailbox`);
    if (!claimed) return;
    const items = await listDigestItems({ db: tx, companyId }, { address, since, until });
    if (items.quarantined.length + items.held.length === 0) return;
    await acceptMessage(tx, {
      companyId,
      origin: "report",
      mailbox: null,
      groupAddress: null,
      clientAddress: null,
      sender: "",
      isSenderTold: false,
      signingDomainId: mailbox.domainId,
      ...(await writeDigest(mailbox, items, new Date())),
      recipients: [{ address, notify: ["never"] }],
    });
  });
}

/** The mailbox user's own mail that is on hold. */
type HeldItem = { subject: string; to: string[]; recipients: number; createdAt: string };

type DigestItems = {
  /** Oldest first. */
  quarantined: OwnQuarantined[];
  held: HeldItem[];
  /** There are more than are listed. */
  hasMore: boolean;
};

const LISTED_MAX = 100;
const RECIPIENTS_LISTED_MAX = 3;

/** Messages quarantined or put on hold after `since`, up to and including `until`. */
async function listDigestItems(
  ctx: CompanyScope,
  { address, since, until }: { address: string; since: string; until: string },
): Promise<DigestItems> {
  const { id, reason, headerFrom, sender, subject, createdAt } = quarantine;
  const quarantined = await ctx.db
    .select({ id, reason, headerFrom, sender, subject, createdAt })
    .from(quarantine)
    .where(and(isOwn(ctx, address), gt(createdAt, since), lte(createdAt, until)))
    .orderBy(asc(createdAt), asc(id))
    .limit(LISTED_MAX + 1);
  const held = await ctx.db.execute<HeldItem>(sql`
    select m.subject, (array_agg(r.recipient order by r.id))[:${RECIPIENTS_LISTED_MAX}] as to,
      count(*)::int as recipients, m.created_at as "createdAt"
    from mailboxes b
      join messages m on m.mailbox = b.address and m.company_id = b.company_id
      join message_recipients r on r.message_id = m.id and r.state = 'held'
    where b.address = ${address} and b.company_id = ${ctx.companyId}
      and greatest(m.created_at, b.sending_held_at) > ${since}
      and greatest(m.created_at, b.sending_held_at) <= ${until}
    group by m.id order by m.created_at, m.id limit ${LISTED_MAX + 1}`);
  return {
    quarantined: quarantined.slice(0, LISTED_MAX),
    held: held.slice(0, LISTED_MAX),
    hasMore: quarantined.length > LISTED_MAX || held.length > LISTED_MAX,
  };
}

/** A message in the digest, as lines of text. */
type Entry = { lines: string[]; url: string | null };

type Section = { title: string; explanation: string; entries: Entry[] };

const SHOWN_CHARS_MAX = 200;

/** The digest as a message. It is marked so that programs don't reply to it (RFC 3834). */
async function writeDigest(mailbox: DueDigest, items: DigestItems, now: Date) {
  const { address, name } = mailbox;
  const language = knownLanguage(mailbox.language);
  const text = mailTexts(language);
  const sender = { name: "Posthouse", address: `postmaster@${addressDomain(address)}` };
  const messageId = `<${v7()}@${addressDomain(address)}>`;
  const subject = subjectOf(items, text);
  const sections = [
    quarantineSection(mailbox, items, { now, language }),
    heldSection(items, language),
  ].filter(({ entries }) => entries.length > 0);
  const content = await composeMessage({
    messageId,
    subject,
    date: now,
    attachments: [],
    tracking: null,
    addressHeaders: { from: sender, to: [{ name: oneLine(name), address }], cc: [], replyTo: [] },
    headers: { "Auto-Submitted": "auto-generated" },
    text: asText(sections, { hasMore: items.hasMore, text }),
    html: asHtml(subject, sections, { hasMore: items.hasMore, language }),
  });
  return { content, subject, messageId, headerFrom: `Posthouse <${sender.address}>` };
}

function subjectOf({ quarantined, held: { length: held } }: DigestItems, text: MailTexts): string {
  const count = quarantined.length;
  if (held === 0) return text("digest.quarantined", { count });
  return count === 0 ? text("digest.held", { count: held }) : text("digest.both", { count, held });
}

function quarantineSection(
  { companyId, companyName, address, canRelease }: DueDigest,
  { quarantined }: DigestItems,
  { now, language }: { now: Date; language: Language },
): Section {
  const text = mailTexts(language);
  const help = canRelease
    ? text("digest.release.self")
    : text("digest.release.admin", { company: companyName });
  return {
    title: text("digest.quarantine"),
    explanation: `${text("digest.quarantine.text", { address })} ${help}`,
    entries: quarantined.map(({ id, reason, headerFrom, sender, subject, createdAt }) => ({
      lines: [
        oneLine(subject) || text("digest.noSubject"),
        text("digest.from", {
          sender: oneLine(headerFrom || sender) || text("digest.noSender"),
        }),
        text(reason === "spam" ? "digest.spam" : "digest.virus", {
          time: formatUtc(createdAt, language),
        }),
      ],
      url:
        canRelease && reason === "spam"
          ? releaseUrl({ companyId, quarantineId: id, mailbox: address }, now)
          : null,
    })),
  };
}

function heldSection({ held }: DigestItems, language: Language): Section {
  const text = mailTexts(language);
  return {
    title: text("digest.hold"),
    explanation: text("digest.hold.text"),
    entries: held.map(({ subject, to, recipients: count, createdAt }) => {
      const recipients = to.join(", ");
      const more = count - to.length;
      return {
        lines: [
          oneLine(subject) || text("digest.noSubject"),
          more > 0
            ? text("digest.to.more", { recipients, more })
            : text("digest.to", { recipients }),
          formatUtc(createdAt, language),
        ],
        url: null,
      };
    }),
  };
}

const accountUrl = () => `${config().baseUrl}/account/quarantine`;

function asText(
  sections: Section[],
  { hasMore, text }: { hasMore: boolean; text: MailTexts },
): string {
  const parts = sections.flatMap(({ title, explanation, entries }) => [
    title.toUpperCase(),
    explanation,
    ...entries.map(({ lines, url }) =>
      [...lines, ...(url ? [`${text("digest.release")}: ${url}`] : [])].join("\n"),
    ),
  ]);
  return [
    ...parts,
    ...(hasMore ? [text("digest.more")] : []),
    text("digest.yours", { url: accountUrl() }),
    `-- \n${text("digest.footer")}\n`,
  ].join("\n\n");
}

function asHtml(
  subject: string,
  sections: Section[],
  { hasMore, language }: { hasMore: boolean; language: Language },
): string {
  const text = mailTexts(language);
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeMarkup(subject)}</title></head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:15px;line-height:1.5;color:#1b1b20;background:#ffffff">
<div style="max-width:560px">
${sections.map((section) => sectionHtml(section, text("digest.release"))).join("\n")}
${hasMore ? `<p style="margin:0 0 16px">${text("digest.more")}</p>` : ""}
<p style="margin:24px 0"><a href="${escapeMarkup(accountUrl())}" style="color:#5239b3">${text("digest.open")}</a></p>
<p style="margin:0;font-size:13px;color:#62626c">${escapeMarkup(text("digest.footer"))}</p>
</div></body></html>
`;
}

const sectionHtml = ({ title, explanation, entries }: Section, release: string) =>
  `<h1 style="font-size:18px;margin:0 0 16px">${escapeMarkup(title)}</h1>
<p style="margin:0 0 16px">${escapeMarkup(explanation)}</p>
${entries.map((entry) => entryHtml(entry, release)).join("\n")}`;

const entryHtml = ({ lines: [first = "", ...others], url }: Entry, release: string) =>
  `<div style="margin:0 0 16px;padding:0 0 16px;border-bottom:1px solid #e3e3e8;overflow-wrap:anywhere">
<bdi style="font-weight:600">${escapeMarkup(first)}</bdi>
${others.map((line) => `<br><bdi>${escapeMarkup(line)}</bdi>`).join("\n")}
${url ? `<br><a href="${escapeMarkup(url)}" style="color:#5239b3">${release}</a>` : ""}
</div>`;

/** Senders choose these texts. */
function oneLine(text: string): string {
  const clean = text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .toWellFormed();
  return clean.length > SHOWN_CHARS_MAX ? `${clean.slice(0, SHOWN_CHARS_MAX)}…` : clean;
}

/** A message in quarantine that a link releases to one of its mailboxes. */
export type ReleaseLink = { companyId: string; quarantineId: string; mailbox: string };

export const RELEASE_PATH = "/release/";

const DAYS_VALID = 14;
const DAY_MS = 86_400_000;
const ID_BYTES = 16;

/** The URL that releases a message, for 14 days. */
export function releaseUrl(link: ReleaseLink, now: Date): string {
  const { companyId, quarantineId, mailbox } = link;
  const signed = Buffer.concat([parse(companyId), parse(quarantineId), Buffer.from(mailbox)]);
  const expiresAt = new Date(now.getTime() + DAYS_VALID * DAY_MS);
  return `${config().baseUrl}${RELEASE_PATH}${signExpiringToken("release", signed, expiresAt)}`;
}

/** What a link's token says; null unless this instance signed it. */
export function readReleaseToken(
  token: string,
  now: Date,
): (ReleaseLink & { isExpired: boolean }) | null {
  const read = readExpiringToken("release", token, now);
  if (!read) return null;
  const { signed, isExpired } = read;
  const id = (at: number) => stringify(signed.subarray(at, at + ID_BYTES));
  return {
    isExpired,
    companyId: id(0),
    quarantineId: id(ID_BYTES),
    mailbox: signed.toString("utf8", 2 * ID_BYTES),
  };
}
