import { z } from "zod";

import type { Domain } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/http/timestamps.ts";
import {
  addDomain,
  type DomainDetails,
  getDomain,
  listDomains,
  updateDomain,
} from "#server/core/domains/domains/domains.ts";
import { deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { verifyDomain } from "#server/core/domains/domains/verify-domain.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint, pathOf } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";
import { blankIsMissing, emptyIsNull } from "#server/http/text-fields.ts";

const Switch = z.enum(["enabled", "disabled"]);

const object = z.literal("domain").describe("Object type");

const id = z.uuid().describe("The domain's ID; also the pagination cursor");

const DomainObject = z
  .object({
    object,
    id,
    name: z.string().describe("Lowercase domain name"),
    status: z
      .enum(["not_started", "pending", "partially_verified", "verified"])
      .describe(
        "`not_started`: the DNS records have not been checked yet. `pending`: ownership is not verified, or neither SPF nor DKIM was found. `partially_verified`: only one of SPF and DKIM was found. `verified`: both were found and the domain can send",
      ),
    created_at: z.string().describe("When the domain was created, in UTC"),
    region: z.string().describe("Region the service runs in"),
    capabilities: z
      .object({
        sending: Switch.describe("`enabled` once ownership is verified"),
        receiving: Switch.describe(
          "`enabled` if mailboxes on this server receive the domain's mail",
        ),
      })
      .describe("What the domain can do"),
  })
  .meta({ id: "Domain" });

/** The response to a change of a domain. */
const DomainReference = z.object({ object, id });

export const DomainPath = pathOf("Domain not found", {
  id: z.uuid().toLowerCase().describe("The domain's ID"),
});

/** @param region from the appliance settings */
const domainObject = (domain: Domain & { receives: boolean }, region: string) => ({
  object: "domain" as const,
  id: domain.id,
  name: domain.name,
  status: domain.status,
  created_at: apiTimestamp(domain.createdAt),
  region,
  capabilities: {
    sending: toSwitch(domain.ownershipProvenAt !== null),
    receiving: toSwitch(domain.receives),
  },
});

const toSwitch = (isOn: boolean): z.output<typeof Switch> => (isOn ? "enabled" : "disabled");

/** Labels of records in the API; the others appear in the console only. */
const RecordName = z.enum(["Ownership", "SPF", "DKIM", "DMARC", "MX", "Tracking"]);

const RecordObject = z.object({
  record: RecordName.describe(
    "Purpose of the record. `Tracking` only for a domain with a `tracking_subdomain`",
  ),
  name: z.string().describe("Hostname to publish the record at"),
  type: z.enum(["TXT", "MX", "CNAME"]).describe("DNS record type"),
  ttl: z.literal("Auto").describe("TTL: use your DNS provider's default"),
  status: z
    .enum(["verified", "pending"])
    .describe("`verified` if the last check found the record with this value"),
  value: z.string().describe("Value to publish. Empty while the DKIM key is being generated"),
  priority: z.int().optional().describe("Priority, for MX records only"),
});

const DomainDetailsObject = DomainObject.extend({
  open_tracking: z.boolean().describe("Whether opens are tracked"),
  click_tracking: z.boolean().describe("Whether clicks are tracked"),
  tracking_subdomain: z
    .string()
    .optional()
    .describe(
      "Label of the host below the domain that tracking and unsubscribe links use once its record is verified. Absent if they use this server's host",
    ),
  records: z
    .array(RecordObject)
    .describe(
      "DNS records to publish. Until ownership is verified, only the Ownership record; then SPF and DKIM, which are required to send, and DMARC and MX. The SPF value includes your existing SPF record, so always publish the value returned here",
    ),
}).meta({ id: "DomainDetails" });

/** @param region from the appliance settings */
const domainDetailsObject = (
  { domain, records, receives }: Pick<DomainDetails, "domain" | "records" | "receives">,
  region: string,
) => ({
  ...domainObject({ ...domain, receives }, region),
  open_tracking: domain.openTracking,
  click_tracking: domain.clickTracking,
  ...(domain.trackingSubdomain !== null && { tracking_subdomain: domain.trackingSubdomain }),
  records: records
    .filter(({ record }) => domain.ownershipProvenAt !== null || record === "ownership")
    .flatMap(recordObject),
});

function recordObject({ record, name, type, value, priority, isVerified }: DomainRecord) {
  const shownAs = RecordName.options.find((name) => name === RECORD_KINDS[record].label);
  if (!shownAs) return [];
  return {
    record: shownAs,
    name,
    type,
    value,
    ttl: "Auto" as const,
    status: isVerified ? ("verified" as const) : ("pending" as const),
    ...(priority !== undefined && { priority }),
  };
}

/** Null counts as absent. */
const Tracking = z.boolean().nullish().meta({ type: "boolean" });

/** The same rules as in the console are checked when it is stored. */
const TrackingSubdomain = emptyIsNull(z.string().trim().toLowerCase().nullable());

/** Fields of a request that creates or updates a domain. */
const TRACKING_FIELDS = {
  open_tracking: Tracking.describe("Track opens with an invisible image"),
  click_tracking: Tracking.describe(
    "Track clicks by routing links through this server. A link to a site outside your domains first shows a page with the destination",
  ),
  tracking_subdomain: TrackingSubdomain.optional().describe(
    "Host of tracking and unsubscribe links: a label below the domain, such as `links`. Null for this server's own host. Links use it once its record is verified",
  ),
};

type Fields = {
  open_tracking?: boolean | null | undefined;
  click_tracking?: boolean | null | undefined;
  tracking_subdomain?: string | null | undefined;
};

const readTracking = (body: Fields) => ({
  openTracking: body.open_tracking ?? undefined,
  clickTracking: body.click_tracking ?? undefined,
  trackingSubdomain: body.tracking_subdomain,
});

const DOMAIN = "0198c0de-7d4e-7f61-8c85-90413ead5f44";

const TOKEN = "svc-verify=4f1d0c9a7be24e5f8a6317d2c05b98e3";

const PUBLIC_KEY = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr5pXzQ8vKd2m";

const listed = {
  object: "domain",
  id: DOMAIN,
  name: "shop.example",
  status: "verified",
  created_at: "2026-03-02 09:12:07.081512+00",
  region: "eu-central",
  capabilities: { sending: "enabled", receiving: "enabled" },
};

const record = (record: string, name: string, value: string, more: object = {}) => ({
  record,
  name,
  type: "TXT",
  ttl: "Auto",
  status: "verified",
  value,
  ...more,
});

const tracking = { open_tracking: false, click_tracking: true };

const list = (...data: object[]) => ({ object: "list", has_more: false, data });

const named = { object: "domain", id: DOMAIN };

export const domainExamples: Record<string, Example> = {
  "GET /domains": { answer: list(listed), sdk: ["domains.list"] },
  "POST /domains": {
    body: { name: "shop.example" },
    answer: {
      ...listed,
      status: "not_started",
      capabilities: { sending: "disabled", receiving: "disabled" },
      open_tracking: false,
      click_tracking: false,
      records: [record("Ownership", "_svc-verify.shop.example", TOKEN, { status: "pending" })],
    },
    sdk: ["domains.create", { name: "shop.example" }],
  },
  "GET /domains/{id}": {
    params: { id: DOMAIN },
    answer: {
      ...listed,
      ...tracking,
      records: [
        record("SPF", "shop.example", "v=spf1 a:mail.example.com include:crm.example.net ~all"),
        record("DKIM", "ph1-9c04d71e._domainkey.shop.example", `v=DKIM1; k=rsa; p=${PUBLIC_KEY}`),
        record(
          "DMARC",
          "_dmarc.shop.example",
          "v=DMARC1; p=none; rua=mailto:reports@mail.example.com",
        ),
        record("MX", "shop.example", "mail.example.com", { type: "MX", priority: 10 }),
      ],
    },
    sdk: ["domains.get", DOMAIN],
  },
  "PATCH /domains/{id}": {
    params: { id: DOMAIN },
    body: { click_tracking: true },
    answer: named,
    sdk: ["domains.update", { id: DOMAIN, clickTracking: true }],
  },
  "DELETE /domains/{id}": {
    params: { id: DOMAIN },
    answer: { ...named, deleted: true },
    sdk: ["domains.remove", DOMAIN],
  },
  "POST /domains/{id}/verify": {
    params: { id: DOMAIN },
    answer: named,
    sdk: ["domains.verify", DOMAIN],
  },
};

export const domainsApi = {
  list: defineEndpoint("GET", "/domains", {
    summary: "List domains",
    description:
      "Newest first. Retrieve a single domain for its DNS records and tracking settings.",
    admitsTestKeys: true,
    privilege: "api_controls",
    query: PageQuery,
    response: listResponse(DomainObject),
    async handle({ ctx, query }) {
      const { region } = await currentSettings(ctx.db);
      return listObject(await listDomains(ctx, query), (domain) => domainObject(domain, region));
    },
  }),

  add: defineEndpoint("POST", "/domains", {
    summary: "Create a domain",
    description:
      "Publish the returned Ownership record in the domain's DNS and verify the domain within seven days. During that time no other company can create it. Deleting and creating the domain again does not restart the seven days. Domains of public mailbox providers, example domains and the service's own domains are not allowed.",
    privilege: "domains",
    body: z.object({
      name: blankIsMissing(z.string())
        .meta({ type: "string", minLength: 1 })
        .describe(
          "Domain name, such as `example.com`. A scheme, `user@` part, port, path and trailing dot are removed",
        ),
      ...TRACKING_FIELDS,
    }),
    response: DomainDetailsObject,
    refusals: ["missing_required_field", "not_allowed", "account_inactive", "too_many_pending"],
    async handle({ ctx, body }) {
      const { region } = await currentSettings(ctx.db);
      return domainDetailsObject(
        await addDomain(ctx, { name: body.name, ...readTracking(body) }, { via: "api" }),
        region,
      );
    },
  }),

  get: defineEndpoint("GET", "/domains/{id}", {
    summary: "Retrieve a domain",
    description:
      "Includes the DNS records to publish. Statuses are from the last check, whether requested or automatic.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: DomainPath,
    response: DomainDetailsObject,
    async handle({ ctx, params }) {
      const { region } = await currentSettings(ctx.db);
      return domainDetailsObject(await getDomain(ctx, params.id), region);
    },
  }),

  update: defineEndpoint("PATCH", "/domains/{id}", {
    summary: "Update a domain",
    description:
      "Changes the tracking of emails sent from now on. Tracking applies to HTML only. Absent fields keep their values. After setting `tracking_subdomain`, publish the domain's Tracking record and verify the domain.",
    privilege: "domains",
    params: DomainPath,
    body: z.object(TRACKING_FIELDS).prefault({}),
    response: DomainReference,
    async handle({ ctx, params: { id }, body }) {
      await updateDomain(ctx, id, readTracking(body));
      return { object: "domain" as const, id };
    },
  }),

  delete: defineEndpoint("DELETE", "/domains/{id}", {
    summary: "Delete a domain",
    description:
      "API keys restricted to the domain are revoked and their scheduled emails canceled. Other scheduled emails from the domain fail when they are due.",
    privilege: "owner",
    params: DomainPath,
    response: DomainReference.extend({ deleted: z.literal(true).describe("Always `true`") }),
    refusals: ["resource_in_use"],
    async handle({ ctx, params: { id } }) {
      await deleteDomain(ctx, id, { via: "api" });
      return { object: "domain" as const, id, deleted: true as const };
    },
  }),

  verify: defineEndpoint("POST", "/domains/{id}/verify", {
    summary: "Verify a domain",
    description:
      "Checks the domain's DNS records during the call. Retrieve the result with `GET /domains/{id}`. Until ownership is verified, the Ownership record is checked; if it is missing, the error says what was found instead. Once it is found, the domain is set up for sending and the SPF, DKIM, DMARC and MX records are checked.",
    privilege: "domains",
    params: DomainPath,
    response: DomainReference,
    refusals: ["invalid"],
    async handle({ ctx, params: { id } }) {
      await verifyDomain(ctx, id, { via: "api" });
      return { object: "domain" as const, id };
    },
  }),
};
