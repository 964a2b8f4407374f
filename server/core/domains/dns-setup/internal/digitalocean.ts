import type { DnsHost, HostedRecord, HostedZone } from "#server/core/domains/dns-setup/dns-host.ts";

import { type Api, findNamed, jsonApi, readPages, writeRecords } from "./api-client.ts";
import { fullName, readContent, relativeName } from "./plan-changes.ts";

const BASE_URL = "https://api.digitalocean.com/v2";
const PER_PAGE = 200;
const TTL_S = 1800;

type Found = { id: number; name: string; type: string; data: string; priority: number | null };
type Page = { domain_records: Found[]; links?: { pages?: { next?: string } } };

/** DigitalOcean's API (docs.digitalocean.com/reference/api), with a token that may update domains. */
export function digitalOcean(api: Omit<Api, "baseUrl"> & Partial<Api>, token: string): DnsHost {
  const call = jsonApi({ baseUrl: BASE_URL, ...api }, token);
  return {
    async openZone(names) {
      const name = await findNamed(call, "/domains/", names);
      return name === null ? null : openZone(call, name);
    },
  };
}

function openZone(call: ReturnType<typeof jsonApi>, zone: string): HostedZone {
  const path = `/domains/${encodeURIComponent(zone)}/records`;
  return {
    name: zone,
    list: () =>
      readPages(async (page) => {
        const found = await call<Page>("GET", `${path}?per_page=${PER_PAGE}&page=${page}`);
        const items = found.domain_records.map((record) => toRecord(record, zone));
        return { items, isLast: !found.links?.pages?.next };
      }),
    write(change) {
      const { type } = change;
      const name = relativeName(change.name, zone);
      // Hosts end with a dot, or the domain is appended.
      const toBody = ({ value, priority }: typeof change.added) => ({
        type,
        name,
        ttl: TTL_S,
        data: type === "TXT" ? value : `${value}.`,
        ...(type === "MX" && { priority: priority ?? 10 }),
      });
      return writeRecords(change, {
        create: (record) => call("POST", path, toBody(record)),
        update: (id, record) => call("PUT", `${path}/${id}`, toBody(record)),
        remove: (id) => call("DELETE", `${path}/${id}`),
      });
    },
  };
}

/** `@` as a value stands for the domain itself. */
function toRecord({ id, name, type, data, priority }: Found, zone: string): HostedRecord {
  const read = readContent(type === "MX" ? "CNAME" : type, data === "@" ? zone : data);
  return { ...read, id: String(id), name: fullName(name, zone), type, priority };
}
