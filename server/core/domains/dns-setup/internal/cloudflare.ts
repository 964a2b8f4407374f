import type { DnsHost, HostedRecord, HostedZone } from "#server/core/domains/dns-setup/dns-host.ts";

import { type Api, jsonApi, readPages, writeRecords } from "./api-client.ts";
import { readContent, zoneContent } from "./plan-changes.ts";

const BASE_URL = "https://api.cloudflare.com/client/v4";
const PER_PAGE = 100;

type Page<Item> = { result: Item[]; result_info?: { total_pages?: number } };
type Found = { id: string; name: string; type: string; content: string; priority?: number };

/** Cloudflare's API (developers.cloudflare.com/api), with a token that may edit the zone's DNS. */
export function cloudflare(api: Omit<Api, "baseUrl"> & Partial<Api>, token: string): DnsHost {
  const call = jsonApi({ baseUrl: BASE_URL, ...api }, token);
  return {
    async openZone(names) {
      for (const name of names) {
        const { result } = await call<Page<{ id: string; name: string }>>(
          "GET",
          `/zones?name=${encodeURIComponent(name)}`,
        );
        const zone = result.find((zone) => zone.name === name);
        if (zone) return openZone(call, zone);
      }
      return null;
    },
  };
}

type Call = ReturnType<typeof jsonApi>;

function openZone(call: Call, { id, name }: { id: string; name: string }): HostedZone {
  const path = `/zones/${encodeURIComponent(id)}/dns_records`;
  return {
    name,
    list: () =>
      readPages(async (page) => {
        const found = await call<Page<Found>>("GET", `${path}?per_page=${PER_PAGE}&page=${page}`);
        const isLast = page >= (found.result_info?.total_pages ?? 1);
        return { items: found.result.map(toRecord), isLast };
      }),
    write: (change) =>
      writeRecords(change, {
        create: (record) => call("POST", path, toBody(change, record)),
        update: (id, record) =>
          call("PATCH", `${path}/${encodeURIComponent(id)}`, toBody(change, record)),
        remove: (id) => call("DELETE", `${path}/${encodeURIComponent(id)}`),
      }),
  };
}

function toRecord({ id, name, type, content, priority }: Found): HostedRecord {
  const read = readContent(type === "MX" ? "CNAME" : type, content);
  return { ...read, id, name: name.toLowerCase(), type, priority: priority ?? null };
}

/** A TTL of 1 means automatic. Mail servers can't be behind the proxy. */
function toBody(
  { name, type }: { name: string; type: string },
  { value, priority }: { value: string; priority: number | null },
) {
  const content = type === "TXT" ? zoneContent(type, { value, priority }) : value;
  return {
    type,
    name,
    content,
    ttl: 1,
    ...(type === "MX" && { priority: priority ?? 10 }),
    ...(type === "CNAME" && { proxied: false }),
  };
}
