import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { search } from "#server/console/search/search.ts";

export type Found = Answer<typeof search>["data"][number];

/** One letter is in nearly everything. */
const LETTERS_MIN = 2;

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: async () =>
      (await call<typeof search>("GET", "/console/api/search", { query: { q } })).data,
    enabled: q.length >= LETTERS_MIN,
    placeholderData: keepPreviousData,
  });

/** Where the thing has its page. */
export function hrefOfFound({ kind, id }: Found): string {
  const name = encodeURIComponent(id);
  switch (kind) {
    case "mailbox":
      return `/console/mailboxes/${name}`;
    case "group":
      return `/console/groups/${name}`;
    case "domain":
      return `/console/domains/${name}`;
    case "api_key":
      return `/console/api-keys/${name}`;
    case "webhook":
      return `/console/webhooks/${name}`;
    case "admin":
      return `/console/team/${name}`;
    case "email":
      return `/console/emails/${name}`;
  }
}

export const kindWords: Record<Found["kind"], string> = {
  mailbox: "Mailbox",
  group: "Group",
  domain: "Domain",
  api_key: "API key",
  webhook: "Webhook",
  admin: "Admin",
  email: "Email",
};
