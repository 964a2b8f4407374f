import type { DnsHost, HostedRecord, HostedZone } from "#server/core/domains/dns-setup/dns-host.ts";

import { type Api, findNamed, jsonApi, readPages, writeRecords } from "./api-client.ts";
import { fullName, readContent, relativeName, zoneContent } from "./plan-changes.ts";

const CLOUDFLARE_URL = "https://api.cloudflare.com/client/v4";
const PER_PAGE = 100;

type CloudflarePage<Item> = { result: Item[]; result_info?: { total_pages?: number } };

type CloudflareRecord = {
  id: string;
  name: string;
  type: string;
  content: string;
  priority?: number;
};

/** Cloudflare's API (developers.cloudflare.com/api), with a token that may edit the zone's DNS. */
export function cloudflare(api: Omit<Api, "baseUrl"> & Partial<Api>, token: string): DnsHost {
  const call = jsonApi({ baseUrl: CLOUDFLARE_URL, ...api }, token);
  return {
    async openZone(names) {
      for (const name of names) {
        const { result } = await call<CloudflarePage<{ id: string; name: string }>>(
          "GET",
          `/zones?name=${encodeURIComponent(name)}`,
        );
        const zone = result.find((zone) => zone.name === name);
        if (zone) return openCloudflareZone(call, zone);
      }
      return null;
    },
  };
}

function openCloudflareZone(
  call: ReturnType<typeof jsonApi>,
  { id, name }: { id: string; name: string },
): HostedZone {
  const path = `/zones/${encodeURIComponent(id)}/dns_records`;
  return {
    name,
    list: () =>
      readPages(async (page) => {
        const found = await call<CloudflarePage<CloudflareRecord>>(
          "GET",
          `${path}?per_page=${PER_PAGE}&page=${page}`,
        );
        const isLast = page >= (found.result_info?.total_pages ?? 1);
        return { items: found.result.map(readCloudflareRecord), isLast };
      }),
    write: (change) =>
      writeRecords(change, {
        create: (record) => call("POST", path, cloudflareBody(change, record)),
        update: (id, record) =>
          call("PATCH", `${path}/${encodeURIComponent(id)}`, cloudflareBody(change, record)),
        remove: (id) => call("DELETE", `${path}/${encodeURIComponent(id)}`),
      }),
  };
}

function readCloudflareRecord({
  id,
  name,
  type,
  content,
  priority,
}: CloudflareRecord): HostedRecord {
  const read = readContent(type === "MX" ? "CNAME" : type, content);
  return { ...read, id, name: name.toLowerCase(), type, priority: priority ?? null };
}

/** A TTL of 1 means automatic. Mail servers can't be behind the proxy. */
function cloudflareBody(
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

const DIGITALOCEAN_URL = "https://api.digitalocean.com/v2";
const DIGITALOCEAN_PER_PAGE = 200;
const TTL_S = 1800;

type DigitalOceanRecord = {
  id: number;
  name: string;
  type: string;
  data: string;
  priority: number | null;
};

type DigitalOceanPage = {
  domain_records: DigitalOceanRecord[];
  links?: { pages?: { next?: string } };
};

/** DigitalOcean's API (docs.digitalocean.com/reference/api), with a token that may update domains. */
export function digitalOcean(api: Omit<Api, "baseUrl"> & Partial<Api>, token: string): DnsHost {
  const call = jsonApi({ baseUrl: DIGITALOCEAN_URL, ...api }, token);
  return {
    async openZone(names) {
      const name = await findNamed(call, "/domains/", names);
      return name === null ? null : openDigitalOceanZone(call, name);
    },
  };
}

function openDigitalOceanZone(call: ReturnType<typeof jsonApi>, zone: string): HostedZone {
  const path = `/domains/${encodeURIComponent(zone)}/records`;
  return {
    name: zone,
    list: () =>
      readPages(async (page) => {
        const found = await call<DigitalOceanPage>(
          "GET",
          `${path}?per_page=${DIGITALOCEAN_PER_PAGE}&page=${page}`,
        );
        const items = found.domain_records.map((record) => readDigitalOceanRecord(record, zone));
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
function readDigitalOceanRecord(
  { id, name, type, data, priority }: DigitalOceanRecord,
  zone: string,
): HostedRecord {
  const read = readContent(type === "MX" ? "CNAME" : type, data === "@" ? zone : data);
  return { ...read, id: String(id), name: fullName(name, zone), type, priority };
}

const HETZNER_URL = "https://api.hetzner.cloud/v1";

type Content = { value: string; comment?: string };

type RecordSet = { name: string; type: string; records: Content[] };

type HetznerPage = { rrsets: RecordSet[]; meta?: { pagination?: { next_page?: number | null } } };

/** DNS in Hetzner's Cloud API (docs.hetzner.cloud/reference/cloud), with a token that may read and write. */
export function hetzner(api: Omit<Api, "baseUrl"> & Partial<Api>, token: string): DnsHost {
  const call = jsonApi({ baseUrl: HETZNER_URL, ...api }, token);
  return {
    async openZone(names) {
      const name = await findNamed(call, "/zones/", names);
      return name === null ? null : openHetznerZone(call, name);
    },
  };
}

function openHetznerZone(call: ReturnType<typeof jsonApi>, zone: string): HostedZone {
  const path = `/zones/${encodeURIComponent(zone)}/rrsets`;
  return {
    name: zone,
    list: () =>
      readPages(async (page) => {
        const found = await call<HetznerPage>("GET", `${path}?per_page=${PER_PAGE}&page=${page}`);
        const items = found.rrsets.flatMap((set) => readHetznerRecords(set, zone));
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

const readHetznerRecords = ({ name, type, records }: RecordSet, zone: string): HostedRecord[] =>
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
