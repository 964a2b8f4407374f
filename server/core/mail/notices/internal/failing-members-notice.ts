import { and, asc, eq, sql } from "drizzle-orm";

import { failingMembers } from "#drizzle/schema/index.ts";
import { explainStatus } from "#server/core/sending/bounce-messages/explain-status.ts";
import { dsnStatus } from "#server/core/sending/bounce-messages/status-fields.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import type { NoticeContent } from "./notice-text.ts";

const SHOWN_MAX = 20;

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
