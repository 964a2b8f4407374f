import type { QueryClient } from "@tanstack/react-query";

import type { AnswerOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { pluralize } from "#app/console/ui/format.ts";

import { includesAddress } from "./allow-list-field.tsx";

type KeyAccess = { permission: string; domainId: string | null; allowedAddresses: string[] };
type Request = Pick<
  AnswerOf<"logs.list">["data"][number],
  "method" | "path" | "status" | "clientAddress"
>;

const RECENT_MAX = "100";
const SENDING = /^\/emails(\/batch)?$/;

/**
 * What a key did recently and couldn't do with its new access: one sentence for each new restriction. Checks the key's last
 * hundred requests and emails.
 */
export async function rejectedUses(
  client: QueryClient,
  key: KeyAccess & { id: string },
  after: KeyAccess & { domain: string | undefined },
): Promise<string[]> {
  const { domainId, allowedAddresses: list } = after;
  const isNarrower = key.permission !== after.permission && after.permission === "sending_access";
  const isListed = list.length > 0 && list.join() !== key.allowedAddresses.join();
  const requests = isNarrower || isListed ? await recentRequests(client, key.id) : [];
  return [
    ...(isNarrower ? lostEndpoints(requests) : []),
    ...(isListed ? await lostAddresses(requests, list) : []),
    ...(domainId !== null && domainId !== key.domainId
      ? await lostDomains(client, key.id, after.domain)
      : []),
  ];
}

async function recentRequests(client: QueryClient, apiKey: string): Promise<Request[]> {
  const { data } = await client.query(
    queryOf("logs.list", { query: { limit: RECENT_MAX, apiKey } }),
  );
  return data.filter(({ status }) => status < 400);
}

async function lostDomains(client: QueryClient, key: string, domain: string | undefined) {
  const { data } = await client.query(
    queryOf("emails.list", { query: { limit: RECENT_MAX, key } }),
  );
  const others = data.filter((email) => email.domain !== domain);
  return others.length > 0
    ? [`It sent ${pluralize(others.length, "email")} from other domains.`]
    : [];
}

function lostEndpoints(requests: Request[]): string[] {
  const lost = requests.filter(({ method, path }) => method !== "POST" || !SENDING.test(path));
  const names = [...new Set(lost.map(({ method, path }) => `${method} /${path.split("/")[1]!}`))];
  return lost.length === 0
    ? []
    : [
        `It made ${pluralize(lost.length, "request")} other than sending email: ${names.join(", ")}.`,
      ];
}

async function lostAddresses(requests: Request[], list: string[]): Promise<string[]> {
  const callers = [...new Set(requests.map(({ clientAddress }) => clientAddress ?? ""))];
  const lost: string[] = [];
  for (const caller of callers)
    if (caller !== "" && (await includesAddress(list, caller)) === false) lost.push(caller);
  return lost.length === 0
    ? []
    : [`It was used from addresses that aren’t on the list: ${lost.join(", ")}.`];
}
