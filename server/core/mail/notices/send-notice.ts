import { and, asc, eq, isNull, sql } from "drizzle-orm";

import { admins, companies } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  findInvitation,
  type FoundInvitation,
} from "#server/core/access/invitations/find-invitation.ts";
import { invitationLink } from "#server/core/access/invitations/token.ts";
import { formatUtc } from "#server/core/shared/format-utc.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import { failingMembersNotice, readFailingMembers } from "./internal/failing-members-notice.ts";
import { listMailboxAdmins } from "./internal/list-mailbox-admins.ts";
import type { NoticeText } from "./internal/notice-text.ts";
import { ownershipNotice } from "./internal/ownership-notice.ts";
import { readOwnershipTrouble } from "./internal/read-ownership-trouble.ts";
import { readWebhookTrouble } from "./internal/read-webhook-trouble.ts";
import { preparePasswordLink } from "./internal/password-link-notice.ts";
import { prepareRecordsNotice } from "./internal/records-notice.ts";
import { readRotation, rotationNotice } from "./internal/rotation-notice.ts";
import { type NoticeRecipient, sendToAdmins } from "./internal/send-to-admins.ts";
import { signInNotice } from "./internal/sign-in-notice.ts";
import { webhookNotice } from "./internal/webhook-notice.ts";

type SentInvitation = FoundInvitation & { link: string };

/** The current state of a mailbox whose sending is on hold. */
type HeldSending = {
  address: string;
  orgUnitId: number;
  since: string;
  /** Messages on hold. */
  messages: number;
  recipients: number;
};

type Notice = JobPayload<"send_notice">["notice"];

/**
 * Sends a notice from the appliance's own company to the admins it concerns. Does nothing once the problem is solved.
 * Each admin gets it once, however often and concurrently the job runs: the emails' ids derive from the notice's id.
 *
 * @throws Error if the emails aren't accepted (limit, full disk) or a concurrent run won; retry the job
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
  const prepared = await prepareNotice({ db, companyId }, { companyName: company.name, notice });
  if (prepared) await sendToAdmins(db, { noticeId: id, ...prepared });
}

/** Null when the notice is obsolete. */
async function prepareNotice(
  ctx: CompanyScope,
  { companyName, notice }: { companyName: string; notice: Notice },
): Promise<Omit<Parameters<typeof sendToAdmins>[1], "noticeId"> | null> {
  const names = { baseUrl: config().baseUrl, companyName };
  if (notice.kind === "sending_held") {
    const held = await readHeldSending(ctx, notice.mailbox);
    if (!held) return null;
    const people = await listMailboxAdmins(ctx, held.orgUnitId);
    return { text: heldSendingNotice(held, { ...names, isSpam: notice.isSpam ?? false }), people };
  }
  if (notice.kind === "dns_records") return prepareRecordsNotice(ctx, notice, companyName);
  if (notice.kind === "password_link") return preparePasswordLink(ctx, notice, names);
  if (notice.kind === "invitation") {
    const asked = await readInvitation(ctx, notice);
    if (!asked) return null;
    return { text: invitationNotice(asked, names), people: [asked] };
  }
  if (notice.kind === "sign_in_changed")
    return {
      text: signInNotice(notice, names),
      people: await findAdmin(ctx, notice.email),
    };
  const text = await writeOwnersNotice(ctx, { notice, names });
  return text && { text, people: await listOwners(ctx) };
}

type OwnersNotice = Exclude<
  Notice,
  { kind: "sending_held" | "invitation" | "sign_in_changed" | "dns_records" | "password_link" }
>;

async function writeOwnersNotice(
  ctx: CompanyScope,
  { notice, names }: { notice: OwnersNotice; names: { baseUrl: string; companyName: string } },
): Promise<NoticeText | null> {
  if (notice.kind === "members_failing") {
    const members = await readFailingMembers(ctx, notice.noticedAt);
    return members.length > 0 ? failingMembersNotice(members, names) : null;
  }
  if (notice.kind === "dkim_rotated") {
    const rotation = await readRotation(ctx, notice.domainId);
    return rotation && rotationNotice(rotation, names);
  }
  if ("domainId" in notice) {
    const trouble = await readOwnershipTrouble(ctx, notice);
    return trouble && ownershipNotice(notice.kind, trouble, names);
  }
  const trouble = await readWebhookTrouble(ctx, notice);
  return trouble && webhookNotice(notice.kind, trouble, names);
}

const findAdmin = (ctx: CompanyScope, email: string): Promise<NoticeRecipient[]> =>
  ctx.db
    .select({ id: admins.id, name: admins.name, email: admins.email })
    .from(admins)
    .where(and(eq(admins.companyId, ctx.companyId), eq(admins.email, email)));

const listOwners = (ctx: CompanyScope): Promise<NoticeRecipient[]> =>
  ctx.db
    .select({ id: admins.id, name: admins.name, email: admins.email })
    .from(admins)
    .where(
      and(eq(admins.companyId, ctx.companyId), eq(admins.isOwner, true), isNull(admins.disabledAt)),
    )
    .orderBy(asc(admins.createdAt));

function heldSendingNotice(
  { address, since, messages, recipients }: HeldSending,
  { baseUrl, companyName, isSpam }: { baseUrl: string; companyName: string; isSpam: boolean },
): NoticeText {
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
    footer:
      "You’re receiving this email because you manage mailboxes of the company on this Posthouse appliance.",
  };
}

function invitationNotice(
  { companyName, invitedBy, inviterName, isOwner, roles, link, expiresAt }: SentInvitation,
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const { host } = new URL(baseUrl);
  const inviter = inviterName ? `${inviterName} (${invitedBy})` : invitedBy;
  return {
    subject: `Join ${companyName} on Posthouse`,
    paragraphs: [
      `${inviter} invited you to help manage email for ${companyName} on Posthouse at ${host}.`,
      explainRoles(isOwner, roles),
      `The link works once and expires on ${formatUtc(expiresAt)}. Don’t share it.`,
    ],
    link: { label: "Accept invitation", url: link },
    footer: `You’re receiving this email because ${invitedBy} entered your address. If you don’t know them, ignore it.`,
  };
}

function explainRoles(isOwner: boolean, roles: string[]): string {
  if (isOwner) return "You’ll be an owner, with every privilege in the company.";
  if (roles.length === 0)
    return "You don’t have a role yet. An owner can assign one after you join.";
  return `Your ${roles.length === 1 ? "role" : "roles"}: ${roles.join(", ")}.`;
}

/** Null once sending is released or the mailbox is deleted. */
async function readHeldSending(ctx: CompanyScope, mailbox: string): Promise<HeldSending | null> {
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

/** Null if the invitation was accepted, revoked, expired or resent with a newer link. */
async function readInvitation(
  ctx: CompanyScope,
  { invitationId, sealedToken }: { invitationId: string; sealedToken: string },
): Promise<SentInvitation | null> {
  const token = unseal(sealedToken);
  const found = await findInvitation(ctx.db, token);
  if (found?.id !== invitationId || found.companyId !== ctx.companyId || found.isExpired)
    return null;
  return { ...found, link: invitationLink(token) };
}
