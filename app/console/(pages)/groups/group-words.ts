import { problemOfField } from "#app/console/ui/form-problem.tsx";
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
  listed: { label: "Listed addresses only", help: "The addresses and domains below." },
};

export const MODERATION: Record<GroupDetail["moderation"], string> = {
  none: "None: all of it goes out at once",
  strangers: "Mail from non-members",
  all: "All mail",
};

export const REPLIES: Record<GroupDetail["replies"], string> = {
  author: "To its author",
  group: "To the group",
};

/** Of several states the one that asks for something first. */
export function stateOf({ active }: Pick<GroupRow, "active">, members: number): State {
  if (!active) return { meaning: "none", word: "Switched off" };
  return members === 0
    ? { meaning: "waiting", word: "No members" }
    : { meaning: "done", word: "Active" };
}

type State = { meaning: Meaning; word: string };

/** "3 members" */
export const membersInWords = (count: number): string =>
  count === 0 ? "No members" : `${count} ${memberWord(count)}`;

export const memberWord = (count: number): string => (count === 1 ? "member" : "members");

/** The page of a group. */
export const pageOf = (address: string) => `/console/groups/${encodeURIComponent(address)}`;

/**
 * What is wrong with a list of addresses. A refusal names an entry by its place ("members[2]: …"), which
 * a person cannot find in a long list: here it is named itself.
 *
 * @param entries as they were sent
 */
export function problemOfList(
  error: Error | null,
  { field, label, entries }: { field: string; label: string; entries: string[] | undefined },
): string | null {
  const [, place, wrong] = /^\w+\[(\d+)\]: (.*)$/.exec(error?.message ?? "") ?? [];
  if (place === undefined || !error?.message.startsWith(`${field}[`))
    return problemOfField(error, field, label);
  const entry = entries?.[Number(place)];
  return entry === undefined ? `${label} ${wrong}` : `“${entry}” ${wrong}`;
}

/** Addresses as people paste them: by line, comma, semicolon or blank, some of them within <>. */
export function addressesIn(text: string): string[] {
  const found = text
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]+)>/.exec(part)?.[1] ?? part).trim().toLowerCase())
    .flatMap((part) => part.split(/\s+/))
    .filter((part) => part !== "");
  return [...new Set(found)];
}
