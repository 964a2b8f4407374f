import type { AnswerOf } from "#app/console/console-client.ts";
import type { Privilege } from "#server/universal/privileges.ts";

export type Words = { label: string; detail?: string; keywords?: string };

export type PaletteItem = Words &
  (
    | { href: string; external?: true }
    | { run: () => void }
    /** Becomes the text of the search field. */
    | { typed: string }
  );

/** Commands in the palette. Each needs one of `needs`. */
export const commands: (PaletteItem & { needs: readonly Privilege[] })[] = [
  {
    label: "Send a test email",
    href: "/console/emails/new",
    needs: ["api_controls"],
    keywords: "compose write new",
  },
  {
    label: "Create API key",
    href: "/console/api-keys/new",
    needs: ["api_controls"],
    keywords: "new token",
  },
  {
    label: "Create template",
    href: "/console/templates/new",
    needs: ["api_controls"],
    keywords: "new write",
  },
  {
    label: "Create webhook",
    href: "/console/webhooks/new",
    needs: ["api_controls"],
    keywords: "new",
  },
  { label: "Create domain", href: "/console/domains?new", needs: ["domains"], keywords: "new add" },
  {
    label: "Create mailbox",
    href: "/console/mailboxes/new",
    needs: ["create_users"],
    keywords: "new user person account",
  },
  {
    label: "Import mailboxes",
    href: "/console/mailboxes/import",
    needs: ["create_users"],
    keywords: "csv users",
  },
  {
    label: "Reset password for…",
    typed: "Reset password for ",
    needs: ["reset_user_passwords"],
    keywords: "mailbox user forgot",
  },
  {
    label: "Suspend mailbox…",
    typed: "Suspend ",
    needs: ["suspend_users"],
    keywords: "user block disable",
  },
  {
    label: "Create group",
    href: "/console/groups/new",
    needs: ["manage_groups"],
    keywords: "new list",
  },
  {
    label: "Invite admin",
    href: "/console/team?new",
    needs: ["manage_admins"],
    keywords: "new person team member",
  },
];

export type SearchResult = AnswerOf<"overview.search">["data"][number];
type Action = SearchResult["actions"][number];

type MailboxCommand = { label: string; href: string };

/** "reset password for ann": the action, and the mailbox to search. */
const COMMANDS: [action: Action, pattern: RegExp][] = [
  ["reset_password", /^reset(?:\s+password)?(?:\s+(?:for|of))?\s+(\S.*)$/i],
  ["suspend", /^suspend(?:\s+mailbox)?\s+(\S.*)$/i],
  ["restore", /^restore(?:\s+mailbox)?\s+(\S.*)$/i],
];

const PAGES: Record<Action, { label: string; search: string }> = {
  reset_password: { label: "Reset password for", search: "?tab=access&do=reset-password" },
  suspend: { label: "Suspend", search: "?tab=settings&do=suspend" },
  restore: { label: "Restore", search: "?tab=settings" },
};

/** What to search for, and what to do with the mailboxes found; null for a search only. */
export function parseMailboxCommand(query: string): { action: Action | null; text: string } {
  for (const [action, pattern] of COMMANDS) {
    const text = pattern.exec(query.trim())?.[1];
    if (text !== undefined) return { action, text };
  }
  return { action: null, text: query.trim() };
}

/**
 * The commands for mailboxes that were found, as far as the admin may run them. Each opens the mailbox's page, which asks
 * for confirmation.
 *
 * @param action the one that was typed, for all mailboxes; without one, all actions for the first mailbox
 */
export function mailboxCommands(found: SearchResult[], action: Action | null): MailboxCommand[] {
  const mailboxes = found.filter(({ kind }) => kind === "mailbox");
  const commands = (mailbox: SearchResult, actions: Action[]) =>
    actions.map((each) => ({
      label: `${PAGES[each].label} ${mailbox.title}`,
      href: `/console/mailboxes/${encodeURIComponent(mailbox.id)}${PAGES[each].search}`,
    }));
  if (action === null) return mailboxes.slice(0, 1).flatMap((one) => commands(one, one.actions));
  return mailboxes
    .filter(({ actions }) => actions.includes(action))
    .flatMap((one) => commands(one, [action]));
}
