import { z } from "zod";

import { config } from "#server/config.ts";
import { type ApiEndpoint, defineEndpoint } from "#server/http/endpoint.ts";
import { openapiDocument, type OpenapiDocument } from "#server/http/openapi.ts";

import { apiKeysApi, testClockApi } from "./api-keys.ts";
import { domainsApi } from "./domains/api.ts";
import { emailsApi } from "./emails/api.ts";
import { emailAttachmentsApi } from "./emails/attachments.ts";
import { receiptsApi } from "./emails/receipts.ts";
import { examples } from "./examples.ts";
import { groupsApi } from "./groups.ts";
import { inboundAddressesApi } from "./inbound-addresses.ts";
import { logsApi } from "./logs.ts";
import { aliasesApi } from "./mailboxes/aliases.ts";
import { mailboxesApi } from "./mailboxes/api.ts";
import { receivedApi } from "./received/api.ts";
import { suppressionsApi } from "./suppressions/api.ts";
import { templatesApi } from "./templates/api.ts";
import { TEMPLATE_GUIDE } from "./templates/objects.ts";
import { webhooksApi } from "./webhooks/api.ts";
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

let document: OpenapiDocument | undefined;

/** The OpenAPI document of the public API, cached after the first call. */
export function apiDocument(): Promise<OpenapiDocument> {
  document ??= openapiDocument(
    endpoints.toSorted((a, b) => rank(a.path) - rank(b.path)),
    config().baseUrl,
    { tags, examples },
  );
  return Promise.resolve(document);
}

/** Sorts resources in the order of `tags`. */
const rank = (path: string) => Object.keys(tags).indexOf(path.split("/")[1]!);

export const getOpenapi = defineEndpoint("GET", "/openapi.json", {
  summary: "Retrieve the OpenAPI document",
  permission: "public",
  privilege: null,
  response: z.looseObject({ openapi: z.string().describe("OpenAPI version") }),
  handle: apiDocument,
});

export const describeApi = defineEndpoint("GET", "/", {
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
  handle: () =>
    Promise.resolve({
      name: "Posthouse",
      description: "Send email from your own domains and run your company's mailboxes",
      authentication: "Authorization: Bearer <API key>",
      openapi: `${config().baseUrl}/openapi.json`,
      documentation: `${config().baseUrl}/docs`,
      resources: listResources(),
    }),
});

function listResources(): { name: string; path: string }[] {
  const roots = endpoints
    .filter(({ permission }) => permission !== "public")
    .map(({ path }) => path.split("/")[1]!);
  return [...new Set(roots)].map((name) => ({ name, path: `/${name}` }));
}

/** Every endpoint of the public API. */
export const endpoints: ApiEndpoint[] = [
  describeApi,
  getOpenapi,
  ...Object.values(emailsApi),
  ...Object.values(receiptsApi),
  ...Object.values(emailAttachmentsApi),
  ...Object.values(receivedApi),
  ...Object.values(domainsApi),
  ...Object.values(apiKeysApi),
  ...Object.values(logsApi),
  ...Object.values(suppressionsApi),
  ...Object.values(templatesApi),
  ...Object.values(mailboxesApi),
  ...Object.values(aliasesApi),
  ...Object.values(groupsApi),
  ...Object.values(inboundAddressesApi),
  ...Object.values(webhooksApi),
  ...Object.values(testClockApi),
];
