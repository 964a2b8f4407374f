import { and, eq, gt, max, sql } from "drizzle-orm";
import { v7 } from "uuid";

import { type Group, messages } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

const PAUSE_MINUTES = 15;

/**
 * Schedules a notice to the moderators of a group: now, or 15 minutes after the last one. Call it in the transaction
 * that queues the message for moderation. Several calls before a notice result in one.
 */
export async function scheduleModeratorNotice(db: Db, group: Group): Promise<void> {
  const runAt = await nextNoticeAt(db, group);
  await enqueue(db, "tell_moderators", { group: group.address }, runAt ? { runAt } : {});
}

/** When the next notice about a group can be sent; null for now. */
export async function nextNoticeAt(
  db: Db,
  { companyId, address }: Pick<Group, "companyId" | "address">,
): Promise<Date | null> {
  const pause = sql`make_interval(mins => ${PAUSE_MINUTES})`;
  const [last] = await db
    .select({ until: sql<string | null>`${max(messages.createdAt)} + ${pause}` })
    .from(messages)
    .where(
      and(
        eq(messages.companyId, companyId),
        eq(messages.origin, "report"),
        eq(messages.groupAddress, address),
        gt(messages.createdAt, sql`statement_timestamp() - ${pause}`),
      ),
    );
  return last?.until ? new Date(last.until) : null;
}

export type PendingPost = { from: string; subject: string; createdAt: string };

type Notice = {
  group: string;
  moderators: string[];
  waiting: PendingPost[];
  hasMore: boolean;
  now: Date;
};

const SHOWN_CHARS_MAX = 200;

/** The email to moderators about pending posts. It is marked so that programs don't reply to it (RFC 3834). */
export function writeModeratorNotice({ group, moderators, waiting, hasMore, now }: Notice) {
  const from = `postmaster@${addressDomain(group)}`;
  const subject = `Messages to ${group} are waiting for your approval`;
  const messageId = `<${v7()}@${addressDomain(group)}>`;
  const text = [
    `These messages to ${group} need a moderator's approval before its members receive them:`,
    ...waiting.map(formatPost),
    ...(hasMore ? ["There are more."] : []),
    `Approve or reject them: ${config().baseUrl}/console/quarantine`,
  ].join("\n\n");
  const header = [
    `From: Posthouse <${from}>`,
    `To: ${moderators.join(",\r\n ")}`,
    `Subject: ${subject}`,
    `Date: ${now.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: ${messageId}`,
    "Auto-Submitted: auto-generated",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
  ].join("\r\n");
  const body = Buffer.from(`${text}\n`.toWellFormed().replaceAll("\n", "\r\n"));
  const lines = body.toString("base64").match(/.{1,76}/g) ?? [];
  return {
    content: Buffer.from(`${header}\r\n\r\n${lines.join("\r\n")}\r\n`),
    headerFrom: `Posthouse <${from}>`,
    subject,
    messageId,
  };
}

function formatPost({ from, subject, createdAt }: PendingPost): string {
  return [
    `From: ${truncate(from) || "(no sender)"}`,
    `Subject: ${truncate(subject) || "(no subject)"}`,
    `Received: ${createdAt.slice(0, 16)} UTC`,
  ].join("\n");
}

const truncate = (text: string) =>
  text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
