import type { AuditFilterValues } from "./queries.ts";

export const ACTOR_KINDS: Record<string, string> = {
  admin: "Admins",
  api_key: "API keys",
  mailbox: "Mailbox users",
  operator: "Operators",
  system: "System",
};

export const AREAS: Record<string, string> = {
  domains: "Domains",
  mailboxes: "Mailboxes",
  groups: "Groups",
  keys: "API keys",
  webhooks: "Webhooks",
  sending: "Sending",
  held: "Quarantine",
  team: "Team",
  sign_in: "Sign-in",
  company: "Company",
};

const TEXT_MAX = 200;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the filters from the URL and ignores invalid values. */
export function parseFilters(params: URLSearchParams): AuditFilterValues {
  const read = {
    actor_kind: oneOf(params.get("actor_kind"), ACTOR_KINDS),
    actor: params.get("actor")?.slice(0, TEXT_MAX),
    area: oneOf(params.get("area"), AREAS),
    search: params.get("search")?.slice(0, TEXT_MAX),
    from: parseDay(params.get("from")),
    to: parseDay(params.get("to")),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value));
}

const oneOf = (text: string | null, names: Record<string, string>) =>
  text !== null && Object.hasOwn(names, text) ? text : undefined;

const parseDay = (text: string | null) =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
