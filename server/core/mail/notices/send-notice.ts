import { and, eq } from "drizzle-orm";

import { admins, companies, mailboxes } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  findInvitation,
  type FoundInvitation,
  invitationLink,
} from "#server/core/access/invitations/invitations.ts";
import { readMailLanguage } from "#server/core/mailboxes/account/language.ts";
import { formatUtc } from "#server/core/shared/text.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import { type NoticeKind, kindOf } from "#server/core/mail/notifications/notice-kinds.ts";
import {
  canActIn,
  listAdminsToNotify,
  type NoticeReader,
} from "#server/core/mail/notifications/notification-settings.ts";
import { queuePosts } from "#server/core/mail/notifications/post-notices.ts";

import {
  failingMembersNotice,
  fullMailboxesNotice,
  heldSendingNotice,
  prepareForwardRequest,
  preparePasswordLink,
  prepareSharedMail,
  readFailingMembers,
  readFullMailboxes,
  readHeldSending,
} from "./internal/mailbox-notices.ts";
import {
  missingRecordsNotice,
  ownershipNotice,
  prepareRecordsNotice,
  readMissingRecords,
  readOwnershipTrouble,
  readRotation,
  rotationNotice,
} from "./internal/domain-notices.ts";
import {
  type NoticeContent,
  type NoticeRecipient,
  type NoticeText,
  sendToAdmins,
} from "./internal/send-to-admins.ts";
import { readWebhookTrouble, webhookNotice } from "./internal/webhook-notice.ts";
import { mailboxFactorsNotice, signInNotice } from "./internal/sign-in-notice.ts";

type SentInvitation = FoundInvitation & { link: string };

type Notice = JobPayload<"send_notice">["notice"];

type Names = { baseUrl: string; companyName: string };

/** A notice and who gets it. Admins with different units may get different ones. */
type Told = { content: NoticeContent; readers: NoticeReader[] };

/**
 * Sends a notice from the appliance's own company to the admins it concerns. Does nothing once the problem is solved.
 * Each admin gets it once by email and once at their URL, however often and concurrently the job runs: the ids of both
 * derive from the notice's id.
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
  const ctx = { db, companyId };
  const names = { baseUrl: config().baseUrl, companyName: company.name };
  if (isPersonal(notice)) {
    const prepared = await preparePersonal(ctx, notice, names);
    const isSecurity = SECURITY.has(notice.kind);
    if (prepared) await sendToAdmins(db, { noticeId: id, isSecurity, ...prepared });
    if (prepared && notice.kind === "invitation") {
      const { email } = prepared.people[0]!;
      const shared = await prepareSharedMail(ctx, { email, event: "invited" }, names);
      if (shared) await sendToAdmins(db, { noticeId: id, isSecurity: true, ...shared });
    }
    return;
  }
  const kind = kindOf(notice)!;
  const told = await prepareNotice(ctx, { kind, notice, names });
  // First, so that a URL gets the notice even if emails can't be accepted now.
  for (const { content, readers } of told)
    await queuePosts(db, {
      noticeId: id,
      settingsIds: readers.flatMap(({ urlOf }) => urlOf ?? []),
      content: toPosted(kind, content, names),
    });
  for (const { content, readers } of told)
    await sendToAdmins(db, {
      noticeId: id,
      text: { ...content, footer: footer(names) },
      people: readers.filter(({ byEmail }) => byEmail),
    });
}

const PERSONAL = [
  ...(["dns_records", "forward_requested", "invitation", "password_link"] as const),
  ...(["mailbox_factors_changed", "sign_in_changed", "sign_in_mail_shared"] as const),
];

/** Notices about who can sign in or who receives mail. */
const SECURITY: ReadonlySet<Notice["kind"]> = new Set<Notice["kind"]>([
  "mailbox_factors_changed",
  "sign_in_changed",
  "sign_in_mail_shared",
]);

type PersonalNotice = Extract<Notice, { kind: (typeof PERSONAL)[number] }>;
type CompanyNotice = Exclude<Notice, PersonalNotice>;

const isPersonal = (notice: Notice): notice is PersonalNotice =>
  PERSONAL.some((kind) => kind === notice.kind);

const footer = ({ baseUrl, companyName }: Names) =>
  `You’re receiving this email because you manage ${companyName} on this Posthouse appliance. Choose what you’re notified about in your profile: ${baseUrl}/console/profile?tab=notifications`;

const toPosted = (kind: NoticeKind, content: NoticeContent, { companyName }: Names) => ({
  kind,
  subject: `${companyName}: ${content.subject}`,
  paragraphs: content.paragraphs,
  url: content.link?.url ?? null,
});

/** Null when the notice is obsolete. */
async function preparePersonal(
  ctx: CompanyScope,
  notice: PersonalNotice,
  names: Names,
): Promise<Omit<Parameters<typeof sendToAdmins>[1], "noticeId"> | null> {
  if (notice.kind === "dns_records") return prepareRecordsNotice(ctx, notice, names.companyName);
  if (notice.kind === "forward_requested") return prepareForwardRequest(ctx, notice, names);
  if (notice.kind === "password_link") return preparePasswordLink(ctx, notice, names);
  if (notice.kind === "sign_in_changed")
    return { text: signInNotice(notice, names), people: await findAdmin(ctx, notice.email) };
  if (notice.kind === "sign_in_mail_shared") return prepareSharedMail(ctx, notice, names);
  if (notice.kind === "mailbox_factors_changed") {
    const language = await readMailLanguage(ctx, notice.mailbox);
    const text = mailboxFactorsNotice(notice, { ...names, language });
    return { text, people: await findMailbox(ctx, notice) };
  }
  const asked = await readInvitation(ctx, notice);
  return asked && { text: invitationNotice(asked, names), people: [asked] };
}

/** Empty when the notice is obsolete. */
async function prepareNotice(
  ctx: CompanyScope,
  { kind, notice, names }: { kind: NoticeKind; notice: CompanyNotice; names: Names },
): Promise<Told[]> {
  const readers = await listAdminsToNotify(ctx, kind);
  if (notice.kind === "mailboxes_full") {
    const mailboxes = await readFullMailboxes(ctx, notice.noticedAt);
    return readers.flatMap((reader) => {
      const own = mailboxes.filter(({ orgUnitId }) => canActIn(reader, "quota", orgUnitId));
      return own.length > 0
        ? [{ content: fullMailboxesNotice(own, names), readers: [reader] }]
        : [];
    });
  }
  if (notice.kind === "sending_held") {
    const held = await readHeldSending(ctx, notice.mailbox);
    if (!held) return [];
    const content = heldSendingNotice(held, { ...names, isSpam: notice.isSpam });
    const able = readers.filter((reader) => canActIn(reader, "on_hold", held.orgUnitId));
    return [{ content, readers: able }];
  }
  const content = await writeNotice(ctx, { notice, names });
  return content ? [{ content, readers }] : [];
}

async function writeNotice(
  ctx: CompanyScope,
  {
    notice,
    names,
  }: {
    notice: Exclude<CompanyNotice, { kind: "mailboxes_full" | "sending_held" }>;
    names: Names;
  },
): Promise<NoticeContent | null> {
  switch (notice.kind) {
    case "members_failing": {
      const members = await readFailingMembers(ctx, notice.noticedAt);
      return members.length > 0 ? failingMembersNotice(members, names) : null;
    }
    case "dkim_rotated": {
      const rotation = await readRotation(ctx, notice.domainId);
      return ifFound(rotation, (found) => rotationNotice(found, names));
    }
    case "records_missing": {
      const missing = await readMissingRecords(ctx, notice);
      return ifFound(missing, (found) => missingRecordsNotice(found, names));
    }
    case "ownership_missing":
    case "ownership_lost": {
      const trouble = await readOwnershipTrouble(ctx, notice);
      return ifFound(trouble, (found) => ownershipNotice(notice.kind, found, names));
    }
    case "webhook_disabled":
    case "webhook_failing": {
      const trouble = await readWebhookTrouble(ctx, notice);
      return ifFound(trouble, (found) => webhookNotice(notice.kind, found, names));
    }
  }
}

const ifFound = <Found>(found: Found | null, write: (found: Found) => NoticeContent) =>
  found && write(found);

const findAdmin = (ctx: CompanyScope, email: string): Promise<NoticeRecipient[]> =>
  ctx.db
    .select({ id: admins.id, name: admins.name, email: admins.email })
    .from(admins)
    .where(and(eq(admins.companyId, ctx.companyId), eq(admins.email, email)));

const findMailbox = ({ db, companyId }: CompanyScope, { mailbox }: { mailbox: string }) =>
  db
    .select({ id: mailboxes.address, name: mailboxes.name, email: mailboxes.address })
    .from(mailboxes)
    .where(and(eq(mailboxes.companyId, companyId), eq(mailboxes.address, mailbox)));

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

/** Null if the invitation was accepted, revoked, expired or resent with a newer link. */
async function readInvitation(
  ctx: CompanyScope,
  { invitationId, sealedToken }: { invitationId: string; sealedToken: string },
): Promise<SentInvitation | null> {
  const token = unseal("invitation", sealedToken);
  const found = await findInvitation(ctx.db, token);
  if (found?.id !== invitationId || found.companyId !== ctx.companyId || found.isExpired)
    return null;
  return { ...found, link: invitationLink(token) };
}
