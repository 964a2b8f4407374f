import { and, asc, desc, eq, isNull, ne, sql } from "drizzle-orm";

import {
  admins,
  failingMembers,
  fullMailboxes,
  mailboxes,
  mailboxUsage,
} from "#drizzle/schema/index.ts";
import { readMailLanguage } from "#server/core/mailboxes/account/language.ts";
import { listReaders } from "#server/core/mailboxes/addresses/require-may-open.ts";
import {
  CONFIRMATION_DAYS,
  findForwardRequest,
  forwardRequestUrl,
} from "#server/core/mailboxes/mailbox-rules/forward-confirmations.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import {
  findPasswordLink,
  LINK_DAYS,
  passwordLink,
} from "#server/core/mailboxes/sign-in/password-link.ts";
import type { SignInMailEvent } from "#server/core/platform/notices/notify-admins.ts";
import { dsnStatus } from "#server/core/sending/bounce-messages/dsn.ts";
import { explainStatus } from "#server/core/sending/bounce-messages/explain-status.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import { formatUtc, pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";
import { type Language, mailTexts } from "#server/universal/texts/languages.ts";

import type { NoticeContent, NoticeText } from "./send-to-admins.ts";

export type FullMailbox = { address: string; orgUnitId: number; isFull: boolean; percent: number };

const SHOWN_MAX = 20;

/** The mailboxes listed in a notice that still have too little space, full ones first. */
export const readFullMailboxes = (ctx: CompanyScope, noticedAt: string): Promise<FullMailbox[]> =>
  ctx.db
    .select({
      address: fullMailboxes.address,
      orgUnitId: mailboxes.orgUnitId,
      isFull: fullMailboxes.isFull,
      percent: sql<number>`floor(100 * ${mailboxUsage.usedBytes} / (${mailboxes.quotaMb} * 1048576::float8))::int`,
    })
    .from(fullMailboxes)
    .innerJoin(mailboxes, eq(mailboxes.address, fullMailboxes.address))
    .innerJoin(mailboxUsage, eq(mailboxUsage.address, fullMailboxes.address))
    .where(
      and(
        eq(fullMailboxes.companyId, ctx.companyId),
        eq(fullMailboxes.noticedAt, sql`${noticedAt}::timestamptz`),
        sql`${mailboxes.quotaMb} > 0`,
      ),
    )
    .orderBy(desc(fullMailboxes.isFull), asc(fullMailboxes.address));

export function fullMailboxesNotice(
  found: FullMailbox[],
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeContent {
  const full = found.filter(({ isFull }) => isFull).length;
  const [first] = found as [FullMailbox];
  const whom = found.length === 1 ? first.address : `${found.length} mailboxes`;
  const state = full === found.length ? "full" : full > 0 ? "full or nearly full" : "nearly full";
  const more = found.length - SHOWN_MAX;
  return {
    subject: `${whom} ${found.length === 1 ? "is" : "are"} ${state}`,
    paragraphs: [
      `At ${companyName}, ${found.length === 1 ? "this mailbox is" : "these mailboxes are"} ${state}:`,
      ...found
        .slice(0, SHOWN_MAX)
        .map(({ address, percent }) => `${address}: ${percent}% of its storage used`),
      ...(more > 0 ? [`And ${more} more.`] : []),
      "A full mailbox can’t receive mail. Senders’ servers retry for a few days, then return it. Increase its storage limit, or ask the mailbox user to delete mail.",
    ],
    link: { label: "Open mailboxes", url: `${baseUrl}/console/mailboxes?state=nearly_full` },
  };
}

/** The current state of a mailbox whose sending is on hold. */
type HeldSending = {
  address: string;
  orgUnitId: number;
  since: string;
  /** Messages on hold. */
  messages: number;
  recipients: number;
};

/** Null once sending is released or the mailbox is deleted. */
export async function readHeldSending(
  ctx: CompanyScope,
  mailbox: string,
): Promise<HeldSending | null> {
  const [held] = await ctx.db.execute<HeldSending>(sql`
    select b.address, b.org_unit_id as "orgUnitId", b.sending_held_at as since,
      count(distinct r.message_id)::int as messages, count(r.id)::int as recipients
    from mailboxes b
      left join messages m on m.mailbox = b.address and m.company_id = b.company_id
      left join message_recipients r on r.message_id = m.id and r.state = 'held'
    where b.address = ${mailbox} and b.company_id = ${ctx.companyId}
      and b.sending_held_at is not null
    group by b.address`);
  return held ?? null;
}

export function heldSendingNotice(
  { address, since, messages, recipients }: HeldSending,
  { baseUrl, companyName, isSpam }: { baseUrl: string; companyName: string; isSpam: boolean },
): NoticeContent {
  const cause = isSpam
    ? "sent a message that the spam filter found to be spam or a virus"
    : "suddenly sent mail to many new recipients from a network it hadn’t used before";
  return {
    subject: `Mail from ${address} is on hold: the mailbox may be compromised`,
    paragraphs: [
      `The mailbox ${address} at ${companyName} ${cause}. Its password may have been stolen. Since ${formatUtc(since)}, its mail to recipients outside the company has been on hold.`,
      `On hold: ${pluralize(messages, "message")} to ${pluralize(recipients, "recipient")}. Incoming mail and mail within the company aren’t affected.`,
      "Ask the mailbox user whether they sent these messages. If they did, release them. If they didn’t, secure the mailbox: this resets its password, ends all sessions, revokes its app passwords, and deletes the messages on hold.",
    ],
    link: { label: "Review mail on hold", url: `${baseUrl}/console/on-hold` },
  };
}

export type FailingMember = Pick<
  typeof failingMembers.$inferSelect,
  "groupAddress" | "member" | "dsn" | "reply"
>;

/** The members listed in a notice; empty when they or their groups were deleted. */
export function readFailingMembers(ctx: CompanyScope, noticedAt: string): Promise<FailingMember[]> {
  return ctx.db
    .select()
    .from(failingMembers)
    .where(
      and(
        eq(failingMembers.companyId, ctx.companyId),
        eq(failingMembers.noticedAt, sql`${noticedAt}::timestamptz`),
      ),
    )
    .orderBy(asc(failingMembers.groupAddress), asc(failingMembers.member));
}

/** The notice about group members whose mail keeps failing. */
export function failingMembersNotice(
  members: FailingMember[],
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeContent {
  const [first] = members as [FailingMember];
  const whom =
    members.length === 1
      ? `${first.member} in ${first.groupAddress}`
      : `${members.length} group members`;
  const more = members.length - SHOWN_MAX;
  return {
    subject: `Mail to ${whom} can’t be delivered`,
    paragraphs: [
      `Several messages in a row couldn’t be delivered to these group members at ${companyName}:`,
      ...members
        .slice(0, SHOWN_MAX)
        .map(
          ({ groupAddress, member, dsn, reply }) =>
            `${member} (${groupAddress}): ${explainStatus(dsnStatus({ result: "bounced", dsn }), reply).what}`,
        ),
      ...(more > 0 ? [`And ${more} more.`] : []),
      "Correct the addresses or remove the members. Until you do, Posthouse keeps trying to deliver group messages to them.",
    ],
    link: { label: "Open groups", url: `${baseUrl}/console/groups` },
  };
}

const RECENT_DAYS = 7;
const LISTED_MAX = 20;

/** The audit entries that record access to mail, as text that follows the actor's name. */
const CHANGES: Record<string, (details: Record<string, string>) => string> = {
  "mailbox.created": ({ mailbox }) => `created the mailbox ${mailbox}`,
  "mailbox.undeleted": ({ mailbox }) => `restored the mailbox ${mailbox}`,
  "mailbox.renamed": ({ from, to }) => `changed the address of ${from} to ${to}`,
  "mailbox.shared": ({ mailbox, with: member }) => `shared ${mailbox} with ${member}`,
  "mailbox.password_reset": ({ mailbox }) => `reset the password of ${mailbox}`,
  "mailbox.link_sent": ({ mailbox, to }) => `sent a link for the password of ${mailbox} to ${to}`,
  "mailbox.link_created": ({ mailbox }) => `created a link for the password of ${mailbox}`,
  "second_factor.all_removed": ({ mailbox }) => `removed the second factors of ${mailbox}`,
  "single_sign_on.mailbox_unlinked": ({ mailbox }) => `unlinked ${mailbox} from single sign-on`,
  "mailbox_rules.updated": ({ mailbox }) => `changed the forwarding of ${mailbox}`,
  "alias.added": ({ alias, mailbox }) => `added the alias ${alias} to ${mailbox}`,
  "alias.undeleted": ({ alias, mailbox }) => `restored the alias ${alias} of ${mailbox}`,
  "inbound_address.created": ({ address }) => `created the inbound address ${address}`,
  "inbound_address.undeleted": ({ address }) => `restored the inbound address ${address}`,
  "group.created": ({ group }) => `created the group ${group}`,
  "group.undeleted": ({ group }) => `restored the group ${group}`,
  "group.member_added": ({ group, member }) => `added ${member} to the group ${group}`,
  "group.unit_added": ({ group, name }) => `added the unit ${name} to the group ${group}`,
  "group.access_changed": ({ group }) => `changed the access settings of the group ${group}`,
};

type Names = { baseUrl: string; companyName: string };

type SharedMail = {
  email: string;
  event: SignInMailEvent;
  /** Other addresses where the mail can be read. */
  readers: string[];
  /** Lately given access, newest first. */
  changes: { at: string; actor: string; text: string }[];
};

/** The notice to the other owners of a company, and who they are; null unless others can read the admin's mail. */
export async function prepareSharedMail(
  { db, companyId }: CompanyScope,
  { email, event }: Pick<SharedMail, "email" | "event">,
  names: Names,
) {
  const found = await readSharedMail(db, { email, event });
  if (!found) return null;
  const { id, name } = admins;
  const isOther = and(ne(admins.email, email), isNull(admins.disabledAt));
  const people = await db
    .select({ id, name, email: admins.email })
    .from(admins)
    .where(and(eq(admins.companyId, companyId), admins.isOwner, isOther));
  return { text: sharedMailNotice(found, names), people };
}

/**
 * Who can read an admin's mail on this server besides the admin; null if no one can, or for a reset if no one got access
 * recently.
 */
async function readSharedMail(
  db: Db,
  { email, event }: Pick<SharedMail, "email" | "event">,
): Promise<SharedMail | null> {
  const found = await listReaders(db, email);
  const own = (await resolveRecipients(db, [email])).get(email);
  const readers = found
    .filter(({ kind }) => kind !== "group" && kind !== "alias")
    .map(({ address }) => address)
    .filter((each) => each !== email && !(own?.kind === "mailbox" && each === own.mailbox));
  const changes = await listChanges(
    db,
    email,
    found.map(({ address }) => address),
  );
  const matters = changes.length > 0 || (event !== "reset" && readers.length > 0);
  return matters ? { email, event, readers, changes } : null;
}

async function listChanges(db: Db, email: string, addresses: string[]) {
  const rows = await db.execute<{
    at: string;
    actor: string;
    action: string;
    details: Record<string, string>;
  }>(sql`
    with reached as (
      select jsonb_array_elements_text(${JSON.stringify(addresses)}::jsonb) as address
    )
    select e.created_at as at, e.actor, e.action, e.details from audit_entries e
    where e.company_id in (select a.company_id from addresses a join reached using (address))
      and e.created_at > statement_timestamp() - make_interval(days => ${RECENT_DAYS})
      and e.actor <> ${email}
      and e.action in (select jsonb_array_elements_text(${JSON.stringify(Object.keys(CHANGES))}::jsonb))
      and (e.action <> 'mailbox_rules.updated'
        or e.actor_kind <> 'mailbox' and e.details -> 'changed' @> '["forwardTo"]')
      and exists (select from reached where address in (e.details ->> 'mailbox', e.details ->> 'alias',
        e.details ->> 'group', e.details ->> 'address'))
    order by e.created_at desc limit ${LISTED_MAX}`);
  return rows.map(({ action, details, ...row }) => ({ ...row, text: CHANGES[action]!(details) }));
}

function sharedMailNotice(
  { email, event, readers, changes }: SharedMail,
  { baseUrl, companyName }: Names,
): NoticeText {
  const happened = {
    reset: `Someone asked to reset the password of ${email}, an admin of ${companyName}, and we emailed the link to that address.`,
    invited: `${email} was invited to ${companyName} as an admin, and we emailed the link to that address.`,
    promoted: `${email} became an owner of ${companyName} or got another role.`,
  }[event];
  const recent = changes.map(({ at, actor, text }) => `${formatUtc(at)}: ${actor} ${text}`);
  return {
    subject: `Others may be able to read the mail of ${email}`,
    paragraphs: [
      `${happened} Anyone who reads that mail can sign in as this admin.`,
      ...(readers.length > 0 ? [`The mail can also be read at ${readers.join(", ")}.`] : []),
      ...(recent.length > 0
        ? [`In the last ${RECENT_DAYS} days, the changes listed below affected who can read it.`]
        : []),
      "Check with the admin that this is intended. If it isn’t, turn off their access to the console, remove the others’ access to the mail, and reset the mailbox’s password.",
    ],
    ...(recent.length > 0 && { listing: recent.join("\n") }),
    link: { label: "Review admins", url: `${baseUrl}/console/team` },
    footer: `You’re receiving this email because you’re an owner of ${companyName} on this Posthouse appliance.`,
  };
}

type LinkNotice = Extract<JobPayload<"send_notice">["notice"], { kind: "password_link" }>;

/** The first mail to a new mailbox user, at a private address; null once the link no longer works. */
export async function preparePasswordLink(
  { db, companyId }: CompanyScope,
  { mailbox, to, sentBy, sealedToken }: LinkNotice,
  names: Names,
) {
  const token = unseal("password_link", sealedToken);
  const found = await findPasswordLink(db, token);
  if (found?.address !== mailbox || found.companyId !== companyId) return null;
  return {
    text: passwordLinkNotice(
      { mailbox, sentBy, link: passwordLink(token) },
      { ...names, language: await readMailLanguage({ db, companyId }, mailbox) },
    ),
    // There is one recipient, who needs no id but the address.
    people: [{ id: to, name: "", email: to }],
    extras: { replyTo: [{ name: "", address: sentBy }] },
  };
}

function passwordLinkNotice(
  { mailbox, sentBy, link }: { mailbox: string; sentBy: string; link: string },
  { baseUrl, companyName: company, language }: Names & { language: Language },
): NoticeText {
  const text = mailTexts(language);
  const { host } = new URL(baseUrl);
  return {
    language,
    subject: text("welcome.subject", { mailbox }),
    paragraphs: [
      text("welcome.text", { sender: sentBy, mailbox, company }),
      text("welcome.link", { days: LINK_DAYS }),
      text("welcome.next", { url: `${baseUrl}/account` }),
    ],
    link: { label: text("welcome.button"), url: link },
    footer: text("welcome.footer", { sender: sentBy, host }),
  };
}

/** Asks the owner of an address to confirm forwarding to it; null once they have answered, or the mailbox is deleted. */
export async function prepareForwardRequest(
  { db }: CompanyScope,
  { confirmationId }: { confirmationId: string },
  { baseUrl }: Names,
) {
  const found = await findForwardRequest(db, confirmationId);
  if (found?.state !== "open") return null;
  const { mailbox, written, companyName } = found;
  const text: NoticeText = {
    subject: `Confirm forwarding from ${mailbox}`,
    paragraphs: [
      `${mailbox} at ${companyName} wants to forward mail to ${written}. Nothing is forwarded until you confirm it with the link below, which works for ${CONFIRMATION_DAYS} days.`,
      `If you didn’t expect this, ignore this email, or decline with the same link: ${companyName} then can’t ask you again. You can also use the link to stop the forwarding later.`,
    ],
    link: { label: "Review request", url: forwardRequestUrl(found.id, new Date()) },
    footer: `You’re receiving this email because your address was entered as a forwarding address at ${new URL(baseUrl).host}.`,
  };
  return { text, people: [{ id: found.target, name: "", email: written }] };
}
