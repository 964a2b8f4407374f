import type { Privilege } from "#app/console/privileges.ts";

import type { AuditRow } from "./queries.ts";

type Details = AuditRow["details"];

/** What an entry is about. */
export type EntrySubject = {
  /** Also finds the other entries about it. */
  name: string;
  page?: { href: string; needs: Privilege };
};

const PAGES: { detail: string; path: string; needs: Privilege }[] = [
  { detail: "mailbox", path: "/console/mailboxes", needs: "view_users" },
  { detail: "group", path: "/console/groups", needs: "view_groups" },
];

const NAMES = ["name", "email", "address", "endpoint"];

/** Null for entries that name nothing. */
export function entrySubject(details: Details): EntrySubject | null {
  for (const { detail, path, needs } of PAGES) {
    const name = nameIn(details, detail);
    if (name) return { name, page: { href: `${path}/${encodeURIComponent(name)}`, needs } };
  }
  const name = NAMES.map((detail) => nameIn(details, detail)).find((text) => text !== "");
  return name === undefined ? null : { name };
}

function nameIn(details: Details, detail: string): string {
  const value = details[detail];
  return typeof value === "string" ? value : "";
}
