import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { createApiKey } from "./api-keys/create-api-key.ts";
import { deleteApiKey } from "./api-keys/delete-api-key.ts";
import { listApiKeys } from "./api-keys/list-api-keys.ts";
import { updateApiKey } from "./api-keys/update-api-key.ts";
import { describeApi } from "./describe-api.ts";
import { cancelEmail } from "./emails/cancel-email.ts";
import { getEmail } from "./emails/get-email.ts";
import { getMetrics } from "./emails/get-metrics.ts";
import { listEmailEvents } from "./emails/list-email-events.ts";
import { listEmails } from "./emails/list-emails.ts";
import { sendBatch } from "./emails/send-batch.ts";
import { sendEmail } from "./emails/send-email.ts";
import { updateEmail } from "./emails/update-email.ts";
import { getOpenapi } from "./get-openapi.ts";
import { getLog } from "./logs/get-log.ts";
import { listLogs } from "./logs/list-logs.ts";
import { addBatch } from "./suppressions/add-batch.ts";
import { addSuppression } from "./suppressions/add-suppression.ts";
import { getSuppression } from "./suppressions/get-suppression.ts";
import { listSuppressions } from "./suppressions/list-suppressions.ts";
import { removeBatch } from "./suppressions/remove-batch.ts";
import { removeSuppression } from "./suppressions/remove-suppression.ts";

/** Every endpoint of the public API. A path that is not here does not exist. */
export const endpoints: AnyEndpoint[] = [
  describeApi,
  getOpenapi,
  sendEmail,
  sendBatch,
  listEmails,
  getMetrics,
  getEmail,
  updateEmail,
  cancelEmail,
  listEmailEvents,
  listApiKeys,
  createApiKey,
  updateApiKey,
  deleteApiKey,
  listLogs,
  getLog,
  listSuppressions,
  addSuppression,
  getSuppression,
  removeSuppression,
  addBatch,
  removeBatch,
];
