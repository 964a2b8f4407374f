import type { ApiEndpoint } from "#server/http/endpoint.ts";

import { describeApi, getOpenapi } from "./api-document.ts";
import { apiKeysApi, testClockApi } from "./api-keys.ts";
import { domainsApi } from "./domains/api.ts";
import { emailsApi } from "./emails/api.ts";
import { emailAttachmentsApi } from "./emails/attachments.ts";
import { receiptsApi } from "./emails/receipts.ts";
import { groupsApi } from "./groups.ts";
import { inboundAddressesApi } from "./inbound-addresses.ts";
import { logsApi } from "./logs.ts";
import { aliasesApi } from "./mailboxes/aliases.ts";
import { mailboxesApi } from "./mailboxes/api.ts";
import { receivedApi } from "./received/api.ts";
import { suppressionsApi } from "./suppressions/api.ts";
import { templatesApi } from "./templates/api.ts";
import { webhooksApi } from "./webhooks/api.ts";

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
