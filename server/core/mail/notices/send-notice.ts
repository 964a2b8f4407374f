import { and, asc, eq, isNull, sql } from "drizzle-orm";

import { admins, companies } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  findInvitation,
  type FoundInvitation,
} from "#server/core/access/invitations/find-invitation.ts";
import { invitationLink } from "#server/core/access/invitations/token.ts";
import { open } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import { failingMembersNotice, readFailingMembers } from "./internal/failing-members-notice.ts";
import { keepersOf } from "./internal/keepers-of.ts";
import { inUtc, type NoticeText } from "./internal/notice-text.ts";
import { ownershipNotice } from "./internal/ownership-notice.ts";
import { readOwnershipTrouble } from "./internal/read-ownership-trouble.ts";
import { readWebhookTrouble } from "./internal/read-webhook-trouble.ts";
import { type Person, sendToPeople } from "./internal/send-to-people.ts";
import { signInNotice } from "./internal/sign-in-notice.ts";
import { webhookNotice } from "./internal/webhook-notice.ts";

/** An invitation that is to be sent, with its link. */
type SentInvitation = FoundInvitation & { link: string };

/** A mailbox whose sending is held, as it is now. */
type HeldSending = {
  address: string;
  orgUnitId: number;
  since: string;
  /** Messages and their recipients that wait. */
  messages: number;
  recipients: number;
};

type Told = JobPayload<"send_notice">["notice"];

/**
 * Sends a notice to those of its company whom it concerns, as the appliance's own company. Does nothing when what it
 * tells of is over. Run any number of times, also at once, it sends each person one email: their ids are
 * known before, and none is taken twice.
 *
 * @throws Error while the emails are refused, for a limit or a full disk, and when another run was
 *   faster: the job is to be run again
 */
export async function sendNotice(
  db: Db,
  { id, companyId, notice }: JobPayload<"send_notice">,
): Promise<void> {
  const [company] = await db
    .select({ name: companies.name })
    .from(companies)
    .where(eq(companies.id, companyId));
  if (!company) return;
  const told = await whatToTell(db, { companyId, companyName: company.name, notice });
  if (!told) return;
  await sendToPeople(db, { noticeId: id, ...told });
}

/** Null when there is nothing to tell any more. */
async function whatToTell(
  db: Db,
  { companyId, companyName, notice }: { companyId: string; companyName: string; notice: Told },
): Promise<{ text: NoticeText; people: Person[] } | null> {
  const names = { baseUrl: config().baseUrl, companyName };
  if (notice.kind === "sending_held") {
    const held = await readHeldSending(db, companyId, notice.mailbox);
    if (!held) return null;
    const people = await keepersOf(db, companyId, held.orgUnitId);
    return { text: heldSendingNotice(held, names), people };
  }
  if (notice.kind === "invitation") {
    const asked = await readInvitation(db, companyId, notice);
    if (!asked) return null;
    return { text: invitationNotice(asked, names), people: [asked] };
  }
  if (notice.kind === "sign_in_changed")
    return {
      text: signInNotice(notice, names),
      people: await adminOf(db, companyId, notice.email),
    };
  const text = await ownersText(db, companyId, { notice, names });
  return text && { text, people: await ownersOf(db, companyId) };
}

type OwnersNotice = Exclude<Told, { kind: "sending_held" | "invitation" | "sign_in_changed" }>;

async function ownersText(
  db: Db,
  companyId: string,
  { notice, names }: { notice: OwnersNotice; names: { baseUrl: string; companyName: string } },
): Promise<NoticeText | null> {
  if (notice.kind === "members_failing") {
    const members = await readFailingMembers(db, companyId, notice.noticedAt);
    return members.length > 0 ? failingMembersNotice(members, names) : null;
  }
  if ("domainId" in notice) {
    const trouble = await readOwnershipTrouble(db, companyId, notice);
    return trouble && ownershipNotice(notice.kind, trouble, names);
  }
  const trouble = await readWebhookTrouble(db, companyId, notice);
  return trouble && webhookNotice(notice.kind, trouble, names);
}

const adminOf = (db: Db, companyId: string, email: string): Promise<Person[]> =>
  db
    .select({ id: admins.id, name: admins.name, email: admins.email })
    .from(admins)
    .where(and(eq(admins.companyId, companyId), eq(admins.email, email)));

const ownersOf = (db: Db, companyId: string): Promise<Person[]> =>
  db
    .select({ id: admins.id, name: admins.name, email: admins.email })
    .from(admins)
    .where(
      and(eq(admins.companyId, companyId), eq(admins.isOwner, true), isNull(admins.disabledAt)),
    )
    .orderBy(asc(admins.createdAt));

/** What those who look after mailboxes are told of one whose sending is held. */
function heldSendingNotice(
  { address, since, messages, recipients }: HeldSending,
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeText {
  return {
    subject: `Mail of ${address} is held: somebody else may be sending it`,
    paragraphs: [
      `The mailbox ${address} of ${companyName} has suddenly written to many people it never wrote to before, from a network it has not been used from until now. That is what it looks like when somebody has got hold of a password. Since ${inUtc(since)} Posthouse keeps its mail to addresses outside the company back.`,
      `Held at the moment: ${messages === 1 ? "1 message" : `${messages} messages`} to ${recipients === 1 ? "1 recipient" : `${recipients} recipients`}. The mailbox receives as usual, and mail within the company goes on.`,
      "What to do: ask the person whether they sent it. If they did, release the mail. If they did not, contain the mailbox: its password is reset, every session ends, its app passwords are removed and what is held is thrown away.",
    ],
    link: { label: "Look at the held mail", url: `${baseUrl}/console/on-hold` },
    footer:
      "You get this email because you look after the company's mailboxes on this Posthouse appliance.",
  };
}

/** What somebody is told who is asked to become an admin. */
function invitationNotice(
  { companyName, invitedBy, inviterName, isOwner, roles, link, expiresAt }: SentInvitation,
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const { host } = new URL(baseUrl);
  const inviter = inviterName ? `${inviterName} (${invitedBy})` : invitedBy;
  return {
    subject: `Join ${companyName} on Posthouse`,
    paragraphs: [
      `${inviter} invites you to help run the mail of ${companyName}, on the Posthouse appliance at ${host}.`,
      rightsOf(isOwner, roles),
      `The link is for you alone, works once, and ends on ${inUtc(expiresAt)}.`,
    ],
    link: { label: "Accept the invitation", url: link },
    footer: `You get this email because ${invitedBy} typed your address. If you do not know them, do nothing.`,
  };
}

function rightsOf(isOwner: boolean, roles: string[]): string {
  if (isOwner) return "You will be an owner, who may do everything.";
  if (roles.length === 0) return "What you may do there is still to be decided.";
  return `Your ${roles.length === 1 ? "role" : "roles"} there: ${roles.join(", ")}.`;
}

/** What a notice tells of; null when it is over, or the mailbox is deleted. */
async function readHeldSending(
  db: Db,
  companyId: string,
  mailbox: string,
): Promise<HeldSending | null> {
  const [held] = await db.execute<HeldSending>(sql`
    select b.address, b.org_unit_id as "orgUnitId", b.sending_held_at as since,
      count(distinct r.message_id)::int as messages, count(r.id)::int as recipients
    from mailboxes b
      left join messages m on m.mailbox = b.address and m.company_id = b.company_id
      left join message_recipients r on r.message_id = m.id and r.state = 'held'
    where b.address = ${mailbox} and b.company_id = ${companyId}
      and b.sending_held_at is not null
    group by b.address`);
  return held ?? null;
}

/** Null when it was taken or withdrawn meanwhile, is over, or has a newer link. */
async function readInvitation(
  db: Db,
  companyId: string,
  { invitationId, sealedToken }: { invitationId: string; sealedToken: string },
): Promise<SentInvitation | null> {
  const token = open(sealedToken);
  const found = await findInvitation(db, token);
  if (found?.id !== invitationId || found.companyId !== companyId || found.isExpired) return null;
  return { ...found, link: invitationLink(token) };
}
