import { z } from "zod";

import { config } from "#server/config.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { openapiDocument, type OpenapiDocument } from "#server/http/openapi.ts";

import { examples } from "./examples.ts";
import { TEMPLATE_GUIDE } from "./templates/objects.ts";
import { WEBHOOK_GUIDE } from "./webhooks/objects.ts";

const API_TAG = { name: "This API", description: "Describes the API itself." };

/** Resources by the first segment of their paths. */
const tags = {
  emails: {
    name: "Emails",
    description:
      "Send email from your verified domains, now or at a scheduled time, and track its delivery.",
  },
  domains: {
    name: "Domains",
    description:
      "The domains you send from and receive at. Verify ownership, publish the DNS records, and check them.",
  },
  mailboxes: {
    name: "Mailboxes",
    description:
      "Mailboxes for people, usable with any mail app, and their additional addresses (aliases). An address belongs to one mailbox, alias or group.",
  },
  groups: {
    name: "Groups",
    description:
      "Addresses that deliver mail to all their members, inside and outside the company. Set who can send to a group in the console.",
  },
  "inbound-addresses": {
    name: "Inbound addresses",
    description:
      "Addresses whose mail your programs receive, as `email.received` events and under `/emails/receiving`.",
  },
  "api-keys": {
    name: "API keys",
    description:
      "An API key has the privileges of the admin who created it. Its secret is shown once, at creation.",
  },
  logs: {
    name: "Logs",
    description: "Requests made with the company's API keys, kept for 30 days.",
  },
  templates: { name: "Templates", description: TEMPLATE_GUIDE },
  suppressions: {
    name: "Suppressions",
    description:
      "Addresses that receive no more email from the company because of a permanent bounce, a spam complaint or a manual entry.",
  },
  webhooks: { name: "Webhooks", description: WEBHOOK_GUIDE },
  test: {
    name: "Test mode",
    description:
      "A test key (`permission: test`, `ph_test_…`) sends test emails: they are validated, scheduled, retried and reported to webhooks like live ones, but never delivered. It can use `/emails` and `/webhooks`, where it sees test data only, and read domains and templates. The recipient's address decides what happens: `delivered@`, `bounced@`, `bounced+5.2.2@`, `delayed+3@`, `complained@`, `suppressed@`, `opened@` or `clicked@`, at `test.` and this server's hostname, or at `resend.dev`. Emails to any other address count as delivered.",
  },
  "": API_TAG,
  "openapi.json": API_TAG,
};

const cache = new PromiseCache<OpenapiDocument>({ max: 1 });

/** The OpenAPI document of the public API, cached after the first call. */
export function apiDocument(): Promise<OpenapiDocument> {
  return cache.get("document", buildDocument);
}

async function buildDocument() {
  // Imported lazily: the registry imports the endpoint that serves this document.
  const { endpoints } = await import("./registry.ts");
  const shown = endpoints.toSorted((a, b) => rank(a.path) - rank(b.path));
  return openapiDocument(shown, config().baseUrl, { tags, examples });
}

/** Sorts resources in the order of `tags`. */
const rank = (path: string) => Object.keys(tags).indexOf(path.split("/")[1]!);

export const getOpenapi = defineEndpoint({
  method: "GET",
  path: "/openapi.json",
  summary: "Retrieve the OpenAPI document",
  permission: "public",
  privilege: null,
  response: z.looseObject({ openapi: z.string().describe("OpenAPI version") }),
  refusals: [],
  handle: apiDocument,
});

export const describeApi = defineEndpoint({
  method: "GET",
  path: "/",
  summary: "Describe the API",
  permission: "public",
  privilege: null,
  response: z.object({
    name: z.string().describe("Name of the service"),
    description: z.string().describe("What the service does"),
    authentication: z.string().describe("How to authenticate"),
    openapi: z.string().describe("URL of the OpenAPI document"),
    documentation: z.string().describe("URL of the API reference"),
    resources: z
      .array(
        z.object({
          name: z.string().describe("Name of the resource"),
          path: z.string().describe("Path prefix of its endpoints"),
        }),
      )
      .describe("The API's resources"),
  }),
  refusals: [],
  handle: async () => ({
    name: "Posthouse",
    description: "Send email from your own domains and run your company's mailboxes",
    authentication: "Authorization: Bearer <API key>",
    openapi: `${config().baseUrl}/openapi.json`,
    documentation: `${config().baseUrl}/docs`,
    resources: await (resources ??= listResources()),
  }),
});

let resources: ReturnType<typeof listResources> | undefined;

async function listResources(): Promise<{ name: string; path: string }[]> {
  const { endpoints } = await import("./registry.ts");
  const roots = endpoints
    .filter(({ permission }) => permission !== "public")
    .map(({ path }) => path.split("/")[1]!);
  return [...new Set(roots)].map((name) => ({ name, path: `/${name}` }));
}
