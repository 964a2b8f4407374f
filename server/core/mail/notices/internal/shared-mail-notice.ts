import { and, eq, isNull, ne, sql } from "drizzle-orm";

import { admins } from "#drizzle/schema/index.ts";
import { listReaders } from "#server/core/mailboxes/addresses/readers.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import type { SignInMailEvent } from "#server/core/platform/notices/notify-admins.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { formatUtc } from "#server/core/shared/format-utc.ts";
import type { Db } from "#server/db/client.ts";

import type { NoticeText } from "./notice-text.ts";

const RECENT_DAYS = 7;
const LISTED_MAX = 20;

/** The audit entries that record access to mail, as text that follows the actor's name. */
const CHANGES: Record<string, (details: Record<string, string>) => string> = {
  "mailbox.created": ({ mailbox }) => `created the mailbox ${mailbox}`,
  "mailbox.undeleted": ({ mailbox }) => `restored the mailbox ${mailbox}`,
  "mailbox.shared": ({ mailbox, with: member }) => `shared ${mailbox} with ${member}`,
  "mailbox.password_reset": ({ mailbox }) => `reset the password of ${mailbox}`,
  "mailbox.link_sent": ({ mailbox, to }) => `sent a link for the password of ${mailbox} to ${to}`,
  "mailbox.link_created": ({ mailbox }) => `created a link for the password of ${mailbox}`,
  "second_factor.all_removed": ({ mailbox }) => `removed the second factors of ${mailbox}`,
  "single_sign_on.mailbox_unlinked": ({ mailbox }) => `unlinked ${mailbox} from single sign-on`,
  "alias.added": ({ alias, mailbox }) => `added the alias ${alias} to ${mailbox}`,
  "alias.undeleted": ({ alias, mailbox }) => `restored the alias ${alias} of ${mailbox}`,
  "inbound_address.created": ({ address }) => `created the inbound address ${address}`,
  "inbound_address.undeleted": ({ address }) => `restored the inbound address ${address}`,
  "group.created": ({ group }) => `created the group ${group}`,
  "group.undeleted": ({ group }) => `restored the group ${group}`,
  "group.member_added": ({ group, member }) => `added ${member} to the group ${group}`,
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
