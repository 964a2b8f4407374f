import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type AnswerOf, read } from "#app/console/console-client.ts";

export type SearchResult = AnswerOf<"overview.search">["data"][number];

/** Single characters match nearly everything. */
const QUERY_LENGTH_MIN = 2;

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: async () => (await read("overview.search", { query: { q } })).data,
    enabled: q.length >= QUERY_LENGTH_MIN,
    placeholderData: keepPreviousData,
  });

export function searchResultUrl({ kind, id }: SearchResult): string {
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

export const kindLabels: Record<SearchResult["kind"], string> = {
  mailbox: "Mailbox",
  group: "Group",
  domain: "Domain",
  api_key: "API key",
  webhook: "Webhook",
  admin: "Admin",
  email: "Email",
};
