import { consoleTimestamp } from "#server/http/timestamps.ts";
import { z } from "zod";

import type { DnsFinding, DomainFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";
import { countedList, PageQuery, sortQuery } from "#server/http/lists.ts";
import { findZone } from "#server/core/domains/doctor/probe.ts";
import { hostField } from "#server/core/domains/doctor/providers.ts";
import {
  addDomain,
  type DomainDetails,
  getDomain,
  listDomains,
  type ListedDomain,
  updateDomain,
} from "#server/core/domains/domains/domains.ts";
import { countDomainUse, deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { listMissingRecords, verifyDomain } from "#server/core/domains/domains/verify-domain.ts";
import { rotateDkimKeys } from "#server/core/domains/domains/rotate-dkim-keys.ts";
import { isPublishable } from "#server/core/domains/records/publishable.ts";
import { mailAppRecords } from "#server/core/mailboxes/client-settings/mail-app-records.ts";
import { RETIRED_KEY_DAYS } from "#server/core/sending/dkim/dkim-keys.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

import { DomainPath } from "./api.ts";

function domainRow(domain: ListedDomain, missing: DomainRecordKind[]) {
  const { ownershipProvenAt } = domain;
  const isOwnership = (kind: DomainRecordKind) => kind === "ownership";
  return {
    ...domainHeadFields(domain),
    missing: missing.filter((kind) => isOwnership(kind) === (ownershipProvenAt === null)),
  };
}

type Entry = DomainDetails["records"][number];

const DAY_MS = 86_400_000;

function domainDetail({
  domain,
  receives,
  records,
  findings,
  returnPath,
  retiredKeys,
  isRotating,
  isTrackingHostInUse,
}: DomainDetails) {
  const zone = findZone(domain.name);
  const canPublish = isPublishable(domain);
  const hostOf = (name: string) => hostField(name, zone, null);
  return {
    ...domainHeadFields({ ...domain, receives }),
    zone,
    isPublishable: canPublish,
    openTracking: domain.openTracking,
    clickTracking: domain.clickTracking,
    oneClickUnsubscribe: domain.oneClickUnsubscribe,
    trackingSubdomain: domain.trackingSubdomain,
    isTrackingHostInUse,
    returnPath: returnPath.name,
    isSpfAligned: returnPath.isAligned,
    isRotatingKeys: isRotating,
    retiredKeys: retiredKeys.map(({ selector, retiredAt }) => ({
      host: hostOf(`${selector}._domainkey.${domain.name}`),
      keepUntil: keepUntil(retiredAt!),
    })),
    mailAppRecords: canPublish
      ? mailAppRecords(domain.name).map((record) => ({ ...record, host: hostOf(record.name) }))
      : [],
    records: (canPublish ? records : []).flatMap((record) => {
      const published = {
        ...recordFields(record, hostOf(record.name)),
        ...findingFields(findings.find(({ record: kind }) => kind === record.record)),
      };
      const host = policyHost(domain.name, records);
      if (record.record !== "mta_sts" || !host) return [published];
      return [published, { ...published, ...host, host: hostOf(host.name) }];
    }),
  };
}

/** When the last signature made with a retired key has expired. */
const keepUntil = (retiredAt: string) =>
  new Date(new Date(retiredAt).getTime() + RETIRED_KEY_DAYS * DAY_MS).toISOString();

/** The host that serves the MTA-STS policy (RFC 8461, 3.3). Never checked. */
function policyHost(domain: string, records: Entry[]) {
  const mx = records.find(({ record }) => record === "mx");
  if (!mx) return null;
  const name = `mta-sts.${domain}`;
  return {
    type: "CNAME" as const,
    name,
    value: mx.value,
    isVerified: false,
    missingSince: null,
    answers: [],
  };
}

export const domainsConsole = pageEndpoints("console", "domains", {
  list: read({
    privilege: ["api_controls", "domains"],
    query: PageQuery.and(z.object({ sort: sortQuery(["name", "created"], "-created") })),
    handle: async ({ ctx, query: { sort, ...request } }) => {
      const page = await listDomains(ctx, request, sort);
      const ids = page.rows.map(({ id }) => id);
      const missing = await listMissingRecords(ctx, ids);
      return countedList(page, (domain) => domainRow(domain, missing.get(domain.id) ?? []));
    },
  }),

  create: change({
    privilege: "domains",
    body: z.object({ name: trimmedText(2000) }),
    handle: async ({ ctx, body }) => {
      const { domain } = await addDomain(ctx, body, { via: "console" });
      return { id: domain.id };
    },
  }),

  get: read({
    privilege: ["api_controls", "domains"],
    params: DomainPath,
    handle: async ({ ctx, params }) => domainDetail(await getDomain(ctx, params.id)),
  }),

  rotateKeys: change({
    privilege: "domains",
    params: DomainPath,
    handle: async ({ ctx, params }) => {
      await rotateDkimKeys(ctx, params.id);
      return { id: params.id };
    },
  }),

  update: change({
    privilege: "domains",
    params: DomainPath,
    body: z.object({
      openTracking: z.boolean().optional(),
      clickTracking: z.boolean().optional(),
      oneClickUnsubscribe: z.boolean().optional(),
      trackingSubdomain: z.string().trim().toLowerCase().nullable().optional(),
    }),
    handle: async ({ ctx, params, body }) => {
      await updateDomain(ctx, params.id, body);
      return { id: params.id };
    },
  }),

  delete: change({
    // Owners have every privilege, including `domains`.
    privilege: "owner",
    params: DomainPath,
    handle: async ({ ctx, params }) => {
      const { deletedId } = await deleteDomain(ctx, params.id, { via: "console" });
      return { id: params.id, deleted: true as const, deletedId };
    },
  }),

  verify: change({
    privilege: "domains",
    params: DomainPath,
    handle: async ({ ctx, params }) => {
      await verifyDomain(ctx, params.id, { via: "console" });
      const { domain } = await getDomain(ctx, params.id);
      return { status: domain.status };
    },
  }),

  getUse: read({
    privilege: "api_controls",
    params: DomainPath,
    handle: ({ ctx, params }) => countDomainUse(ctx, params.id),
  }),
});

const domainHeadFields = (domain: ListedDomain) => ({
  id: domain.id,
  name: domain.name,
  status: domain.status,
  isOwnershipVerified: domain.ownershipProvenAt !== null,
  receives: domain.receives,
  checkedAt: domain.checkedAt === null ? null : consoleTimestamp(domain.checkedAt),
  createdAt: consoleTimestamp(domain.createdAt),
});

const recordFields = (record: Entry, host: string) => ({
  kind: record.record,
  type: record.type,
  name: record.name,
  host,
  value: record.value,
  priority: record.priority ?? null,
  need: RECORD_KINDS[record.record].need,
  isVerified: record.isVerified,
});

function findingFields(finding: DomainFinding | undefined) {
  const missingSince = finding?.missingSince ?? null;
  return {
    missingSince: missingSince === null ? null : consoleTimestamp(missingSince),
    answers: (finding?.answers ?? []).map(serverAnswer),
  };
}

/** Joins the strings of a TXT record without separators (RFC 7208, 3.3), and an MX's parts with a space. */
function serverAnswer({ server, address, kind, records, cname, reason }: DnsFinding) {
  const isMx = (strings: string[]) => strings.length === 2 && /^\d{1,5}$/.test(strings[0]!);
  return {
    server,
    address,
    kind,
    cname,
    reason,
    records: records.map((strings) => strings.join(isMx(strings) ? " " : "")),
  };
}
