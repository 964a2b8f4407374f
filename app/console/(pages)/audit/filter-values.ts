import { anyText, day, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";

import type { ActorKind, AuditArea } from "./queries.ts";

export const ACTOR_KINDS: Record<ActorKind, string> = {
  admin: "Admins",
  api_key: "API keys",
  mailbox: "Mailbox users",
  operator: "Operators",
  system: "System",
};

export const AREAS: Record<AuditArea, string> = {
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

export type AuditFilterValues = ReturnType<typeof useAuditFilters>;

/** `from` and `to` are days in the reader's time zone. */
export const useAuditFilters = () =>
  useUrlFilters({
    actorKind: oneOf(ACTOR_KINDS),
    actor: anyText,
    area: oneOf(AREAS),
    search: anyText,
    from: day,
    to: day,
  });
