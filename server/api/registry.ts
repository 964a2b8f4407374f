import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { describeApi } from "./describe-api.ts";
import { getEmail } from "./emails/get-email.ts";
import { listEmailEvents } from "./emails/list-email-events.ts";
import { listEmails } from "./emails/list-emails.ts";
import { sendEmail } from "./emails/send-email.ts";
import { getOpenapi } from "./get-openapi.ts";

/** Every endpoint of the public API. A path that is not here does not exist. */
export const endpoints: AnyEndpoint[] = [
  describeApi,
  getOpenapi,
  sendEmail,
  listEmails,
  getEmail,
  listEmailEvents,
];
