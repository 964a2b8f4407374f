import type { AnswerOf } from "#app/console/console-client.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

export type GroupDetail = AnswerOf<"groups.get">;

export const POSTING: Record<GroupDetail["posting"], { label: string; help: string }> = {
  anyone: { label: "Anyone", help: "For addresses customers write to, such as support@." },
  company: {
    label: "Anyone in your company",
    help: "Mailbox users who are signed in, and senders from one of your domains.",
  },
  members: { label: "Members only", help: "Mail from anyone else is rejected." },
  listed: { label: "Listed addresses only", help: "The addresses and domains below." },
};

export const MODERATION: Record<GroupDetail["moderation"], string> = {
  none: "None",
  strangers: "Messages from non-members",
  all: "All messages",
};

export const REPLIES: Record<GroupDetail["replies"], string> = {
  author: "The sender",
  group: "The group",
};

export function groupStatus({
  active,
  memberCount,
}: Pick<GroupDetail, "active" | "memberCount">): State {
  if (!active) return { tone: "none", label: "Inactive" };
  return memberCount === 0
    ? { tone: "waiting", label: "No members" }
    : { tone: "done", label: "Active" };
}

type State = { tone: StatusTone; label: string };

export const countMembers = (count: number): string =>
  count === 0 ? "No members" : `${count} ${memberNoun(count)}`;

export const memberNoun = (count: number): string => (count === 1 ? "member" : "members");

export const groupUrl = (address: string) => `/console/groups/${encodeURIComponent(address)}`;
