import { and, asc, eq, isNull } from "drizzle-orm";

import { admins, companies } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import { failingMembersNotice, readFailingMembers } from "./failing-members-notice.ts";
import { heldSendingNotice } from "./held-sending-notice.ts";
import { invitationNotice } from "./invitation-notice.ts";
import { keepersOf } from "./keepers-of.ts";
import type { NoticeText } from "./notice-text.ts";
import { ownershipNotice } from "./ownership-notice.ts";
import { readHeldSending } from "./read-held-sending.ts";
import { readInvitation } from "./read-invitation.ts";
import { readOwnershipTrouble } from "./read-ownership-trouble.ts";
import { readWebhookTrouble } from "./read-webhook-trouble.ts";
import { type Person, sendToPeople } from "./send-to-people.ts";
import { signInNotice } from "./sign-in-notice.ts";
import { webhookNotice } from "./webhook-notice.ts";
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
