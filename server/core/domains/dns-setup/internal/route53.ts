import {
  type DnsCredentials,
  type DnsHost,
  DnsHostFailure,
  type HostedRecord,
  type HostedZone,
} from "#server/core/domains/dns-setup/dns-host.ts";
import { escapeMarkup } from "#server/core/shared/escape-markup.ts";

import { type Api, callApi, readPages } from "./api-client.ts";
import { readContent, zoneContent } from "./plan-changes.ts";
import { awsQuery, signAws } from "./sign-aws.ts";
import { element, elements } from "./xml.ts";

const BASE_URL = "https://route53.amazonaws.com";
const VERSION = "/2013-04-01";
const TTL_S = 300;

/** Route 53's REST API (docs.aws.amazon.com/Route53), with the access key of a user who may change the zone. */
export function route53(
  api: Omit<Api, "baseUrl"> & Partial<Api>,
  { token, keyId }: DnsCredentials,
): DnsHost {
  const target = { baseUrl: BASE_URL, ...api };
  const credentials = { keyId: keyId ?? "", secret: token };
  const call: Call = (method, path, { query = [], body = "" } = {}) => {
    const { host } = new URL(target.baseUrl);
    const signed = { method, host, path: VERSION + path, query, body, now: new Date() };
    const headers = signAws({ ...signed, service: "route53", region: "us-east-1" }, credentials);
    const suffix = query.length > 0 ? `?${awsQuery(query)}` : "";
    return callApi(target, {
      ...{ path: VERSION + path + suffix, method, headers },
      ...(body !== "" && { body }),
    });
  };
  return {
    async openZone(names) {
      for (const name of names) {
        const xml = await call("GET", "/hostedzonesbyname", { query: [["dnsname", `${name}.`]] });
        const zone = elements(xml, "HostedZone").find(
          (found) =>
            element(found, "Name") === `${name}.` && element(found, "PrivateZone") !== "true",
        );
        if (zone) return openZone(call, name, element(zone, "Id"));
      }
      return null;
    },
  };
}

type Call = (
  method: "GET" | "POST",
  path: string,
  content?: { query?: [string, string][]; body?: string },
) => Promise<string>;

/** @param id like `/hostedzone/Z123` */
function openZone(call: Call, zone: string, id: string): HostedZone {
  const ttls = new Map<string, string>();
  return {
    name: zone,
    list() {
      let query: [string, string][] = [];
      return readPages(async () => {
        const xml = await call("GET", `${id}/rrset`, { query });
        const sets = elements(xml, "ResourceRecordSet");
        for (const set of sets)
          ttls.set(`${nameOf(set)} ${element(set, "Type")}`, element(set, "TTL"));
        query = [
          ["name", element(xml, "NextRecordName")],
          ["type", element(xml, "NextRecordType")],
        ];
        return { items: sets.flatMap(toRecords), isLast: element(xml, "IsTruncated") !== "true" };
      });
    },
    async write({ name, type, before, kept, added }) {
      // Sets that are routed by weight, region or health have a meaning that we would destroy.
      if (before.some(({ raw }) => raw === "")) throw new DnsHostFailure("rejected", "routed set");
      const values = [...kept.map(({ raw }) => raw), zoneContent(type, added)];
      const ttl = ttls.get(`${name} ${type}`) ?? "";
      await call("POST", `${id}/rrset/`, {
        body: changeBody({ name, type, ttl: ttl === "" ? TTL_S : Number(ttl), values }),
      });
    },
  };
}

const nameOf = (set: string) =>
  element(set, "Name").toLowerCase().replace(/\.$/, "").replace(/\\052/g, "*");

/** An alias or a routed set is one record without content. */
function toRecords(set: string): HostedRecord[] {
  const type = element(set, "Type");
  const known = { id: null, name: nameOf(set), type };
  const values = elements(set, "ResourceRecord").map((record) => element(record, "Value"));
  if (values.length === 0 || element(set, "SetIdentifier") !== "")
    return [{ ...known, value: "", priority: null, raw: "" }];
  return values.map((value) => ({ ...known, ...readContent(type, value) }));
}

const changeBody = ({
  name,
  type,
  ttl,
  values,
}: {
  name: string;
  type: string;
  ttl: number;
  values: string[];
}) =>
  `<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch><Changes><Change><Action>UPSERT</Action><ResourceRecordSet><Name>${escapeMarkup(name)}.</Name><Type>${type}</Type><TTL>${ttl}</TTL><ResourceRecords>${values
    .map((value) => `<ResourceRecord><Value>${escapeMarkup(value)}</Value></ResourceRecord>`)
    .join(
      "",
    )}</ResourceRecords></ResourceRecordSet></Change></Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`;
