import type { AnswerOf } from "#app/console/console-client.ts";
import { type Privilege, READ_EMAILS } from "#server/universal/privileges.ts";

export type PaletteItem = { label: string; detail?: string } & (
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
  },
  {
    label: "Create API key",
    href: "/console/api-keys/new",
    needs: ["api_controls"],
  },
  {
    label: "Create template",
    href: "/console/templates/new",
    needs: ["api_controls"],
  },
  {
    label: "Create webhook",
    href: "/console/webhooks/new",
    needs: ["api_controls"],
  },
  { label: "Create domain", href: "/console/domains?new", needs: ["domains"] },
  {
    label: "Create mailbox",
    href: "/console/mailboxes/new",
    needs: ["create_users"],
  },
  {
    label: "Import mailboxes",
    href: "/console/mailboxes/import",
    needs: ["create_users"],
  },
  {
    label: "Reset password for…",
    typed: "Reset password for ",
    needs: ["reset_user_passwords"],
  },
  {
    label: "Suspend mailbox…",
    typed: "Suspend ",
    needs: ["suspend_users"],
  },
  {
    label: "Create group",
    href: "/console/groups/new",
    needs: ["manage_groups"],
  },
  {
    label: "Invite admin",
    href: "/console/team?new",
    needs: ["manage_admins"],
  },
];

/** Parts of pages. Each needs a privilege, or an operator; those that need neither are for everyone. */
export const settingPlaces: (PaletteItem & { needs?: readonly Privilege[] | "operator" })[] = [
  ...[
    { label: "Company name", tab: "company" },
    { label: "Language of mailbox users", tab: "company" },
    { label: "Mail filtering", tab: "company" },
    { label: "Single sign-on", tab: "access" },
    { label: "Two-factor authentication of all admins", tab: "access" },
    { label: "IP allow-list for API keys", tab: "access" },
    { label: "Session length", tab: "access" },
    { label: "Usage and limits", tab: "usage" },
  ].map(({ label, tab }) => ({
    label,
    detail: "Settings",
    href: `/console/settings?tab=${tab}`,
    needs: ["manage_settings"] as const,
  })),
  { label: "Bounced emails", href: "/console/emails?status=bounced", needs: READ_EMAILS },
  {
    label: "Mailboxes by storage used",
    href: "/console/mailboxes?sort=-storage",
    needs: ["view_users"],
  },
  ...[
    "IMAP access",
    "POP3 access",
    "Sending from mail apps",
    "Calendars and contacts",
    "Sending outside your company",
    "Forwarding outside your company",
    "App passwords",
    "Minimum password length",
    "Storage limit of new mailboxes",
    "Quarantine digest",
    "Full-text search",
  ].map((label) => ({
    label,
    detail: "Unit policies",
    href: "/console/units",
    needs: ["view_users"] as const,
  })),
  { label: "Roles", detail: "Team", href: "/console/team/roles", needs: ["manage_admins"] },
  ...[
    { label: "Backups", search: "backup" },
    { label: "Alarms", search: "alarm" },
  ].map(({ label, search }) => ({
    label,
    detail: "Server settings",
    href: `/console/operate/settings?search=${search}`,
    needs: "operator" as const,
  })),
  { label: "Your profile", href: "/console/profile" },
  { label: "Your notifications", detail: "Profile", href: "/console/profile?tab=notifications" },
  {
    label: "Your password and second factor",
    detail: "Profile",
    href: "/console/profile?tab=security",
  },
  { label: "Your sessions", detail: "Profile", href: "/console/profile?tab=sessions" },
  { label: "Help", href: "/console/help" },
];

export type SearchResult = AnswerOf<"overview.search">["data"][number];
type Action = SearchResult["actions"][number];

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
 * Items for search results. The first mailbox is followed by the commands that the admin may run: they open the mailbox's
 * page, which asks for confirmation.
 *
 * @param action the typed command: only this one is offered, for every mailbox
 */
export function resultItems(found: SearchResult[], action: Action | null): PaletteItem[] {
  const first = found.find(({ kind }) => kind === "mailbox");
  return found.flatMap((one) => {
    const actions = one.actions.filter((each) => action === null || each === action);
    const commands = actions.map((each) => ({
      label: `${PAGES[each].label} ${one.title}`,
      href: `${searchResultUrl(one)}${PAGES[each].search}`,
    }));
    if (action !== null) return commands;
    const detail = [KINDS[one.kind].label, one.detail].filter(Boolean).join(" · ");
    const item = { label: one.title || "(no subject)", href: searchResultUrl(one), detail };
    return one === first ? [item, ...commands] : [item];
  });
}

const KINDS: Record<SearchResult["kind"], { label: string; href: string }> = {
  mailbox: { label: "Mailbox", href: "/console/mailboxes/" },
  group: { label: "Group", href: "/console/groups/" },
  inbound: { label: "Inbound address", href: "/console/receiving?search=" },
  unit: { label: "Unit", href: "/console/units?unit=" },
  domain: { label: "Domain", href: "/console/domains/" },
  api_key: { label: "API key", href: "/console/api-keys/" },
  webhook: { label: "Webhook", href: "/console/webhooks/" },
  template: { label: "Template", href: "/console/templates/" },
  admin: { label: "Admin", href: "/console/team/" },
  role: { label: "Role", href: "/console/team/roles/" },
  email: { label: "Email", href: "/console/emails/" },
};

const searchResultUrl = ({ kind, id }: SearchResult): string =>
  `${KINDS[kind].href}${encodeURIComponent(id)}`;
