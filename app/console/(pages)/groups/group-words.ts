import type { Meaning } from "#app/console/ui/status.tsx";

import type { GroupDetail, GroupRow } from "./queries.ts";

/** Who may write to a group, and what that means. */
export const POSTING: Record<GroupDetail["posting"], { label: string; help: string }> = {
  anyone: { label: "Anyone", help: "For addresses such as support@ that customers write to." },
  company: {
    label: "People of your company",
    help: "Whoever signs in here or writes from one of your domains.",
  },
  members: { label: "Members only", help: "Mail of anybody else is refused." },
  listed: { label: "These only", help: "The addresses and domains below." },
};

export const MODERATION: Record<GroupDetail["moderation"], string> = {
  none: "Nobody's: all of it goes out at once",
  strangers: "Those of people who are no members",
  all: "Everybody's",
};

export const REPLIES: Record<GroupDetail["replies"], string> = {
  author: "To who wrote",
  group: "To the group",
};

export const stateOf = ({
  active,
}: Pick<GroupRow, "active">): { meaning: Meaning; word: string } =>
  active ? { meaning: "done", word: "Active" } : { meaning: "none", word: "Switched off" };

export const membersInWords = (count: number) =>
  count === 0 ? "Nobody: mail is discarded" : `${count} ${count === 1 ? "member" : "members"}`;

/** The page of a group. */
export const pageOf = (address: string) => `/console/groups/${encodeURIComponent(address)}`;

/** Addresses as people paste them: by line, comma, semicolon or blank, some of them within <>. */
export function addressesIn(text: string): string[] {
  const found = text
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]+)>/.exec(part)?.[1] ?? part).trim().toLowerCase())
    .flatMap((part) => part.split(/\s+/))
    .filter((part) => part !== "");
  return [...new Set(found)];
}
