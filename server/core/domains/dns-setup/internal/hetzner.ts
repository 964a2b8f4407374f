import type { DnsHost, HostedRecord, HostedZone } from "#server/core/domains/dns-setup/dns-host.ts";

import { type Api, findNamed, jsonApi, readPages } from "./api-client.ts";
import { fullName, readContent, relativeName, zoneContent } from "./plan-changes.ts";

const BASE_URL = "https://api.hetzner.cloud/v1";
const PER_PAGE = 100;

type Content = { value: string; comment?: string };
type RecordSet = { name: string; type: string; records: Content[] };
type Page = { rrsets: RecordSet[]; meta?: { pagination?: { next_page?: number | null } } };

/** DNS in Hetzner's Cloud API (docs.hetzner.cloud/reference/cloud), with a token that may read and write. */
export function hetzner(api: Omit<Api, "baseUrl"> & Partial<Api>, token: string): DnsHost {
  const call = jsonApi({ baseUrl: BASE_URL, ...api }, token);
  return {
    async openZone(names) {
      const name = await findNamed(call, "/zones/", names);
      return name === null ? null : openZone(call, name);
    },
  };
}

function openZone(call: ReturnType<typeof jsonApi>, zone: string): HostedZone {
  const path = `/zones/${encodeURIComponent(zone)}/rrsets`;
  return {
    name: zone,
    list: () =>
      readPages(async (page) => {
        const found = await call<Page>("GET", `${path}?per_page=${PER_PAGE}&page=${page}`);
        const items = found.rrsets.flatMap((set) => toRecords(set, zone));
        return { items, isLast: !found.meta?.pagination?.next_page };
      }),
    async write({ name: full, type, before, kept, added }) {
      const name = relativeName(full, zone);
      const records = [
        ...kept.map(({ raw }) => JSON.parse(raw) as Content),
        { value: zoneContent(type, added) },
      ];
      // Setting keeps the TTL and the labels of an existing set.
      if (before.length === 0) await call("POST", path, { name, type, records });
      else
        await call("POST", `${path}/${encodeURIComponent(name)}/${type}/actions/set_records`, {
          records,
        });
    },
  };
}

const toRecords = ({ name, type, records }: RecordSet, zone: string): HostedRecord[] =>
  records.map(({ value, comment }) => ({
    ...readContent(type, withAbsoluteHost(type, value, zone)),
    id: null,
    name: fullName(name, zone),
    type,
    raw: JSON.stringify({ value, comment }),
  }));

/** Hosts without a trailing dot are relative to the zone. */
const withAbsoluteHost = (type: string, value: string, zone: string) =>
  (type === "MX" || type === "CNAME") && !value.endsWith(".") ? `${value}.${zone}.` : value;
