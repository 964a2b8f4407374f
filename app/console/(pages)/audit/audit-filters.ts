import type { AuditFilters } from "./queries.ts";

/** Kinds of those who change things, as they are called. */
export const ACTOR_KINDS: Record<string, string> = {
  admin: "People",
  api_key: "API keys",
  mailbox: "Mailboxes",
  operator: "Operators",
  system: "System",
};

/** What a change is about. */
export const AREAS: Record<string, string> = {
  domains: "Domains",
  mailboxes: "Mailboxes",
  groups: "Groups",
  keys: "API keys",
  webhooks: "Webhooks",
  sending: "Sending",
  held: "Quarantine",
  team: "Team",
  sign_in: "Signing in",
  company: "Company",
};

const TEXT_MAX = 200;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Each filter as the URL may have it; what nobody can mean is left out. */
export function readFilters(asked: URLSearchParams): AuditFilters {
  const read = {
    actor_kind: known(asked.get("actor_kind"), ACTOR_KINDS),
    actor: asked.get("actor")?.slice(0, TEXT_MAX),
    area: known(asked.get("area"), AREAS),
    search: asked.get("search")?.slice(0, TEXT_MAX),
    from: dayIn(asked.get("from")),
    to: dayIn(asked.get("to")),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value));
}

const known = (text: string | null, names: Record<string, string>) =>
  text !== null && Object.hasOwn(names, text) ? text : undefined;

const dayIn = (text: string | null) =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

/** The URL of the log with other filters, from the newest on. */
export function addressOf(filters: AuditFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}
