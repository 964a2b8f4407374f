import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { createApiKey } from "./api-keys/create-api-key.ts";
import { deleteApiKey } from "./api-keys/delete-api-key.ts";
import { listApiKeys } from "./api-keys/list-api-keys.ts";
import { updateApiKey } from "./api-keys/update-api-key.ts";
import { describeApi } from "./describe-api.ts";
import { addDomain } from "./domains/add-domain.ts";
import { deleteDomain } from "./domains/delete-domain.ts";
import { getDomain } from "./domains/get-domain.ts";
import { listDomains } from "./domains/list-domains.ts";
import { updateDomain } from "./domains/update-domain.ts";
import { verifyDomain } from "./domains/verify-domain.ts";
import { cancelEmail } from "./emails/cancel-email.ts";
import { getAttachment } from "./emails/get-attachment.ts";
import { checkEmail } from "./emails/check-email.ts";
import { getEmail } from "./emails/get-email.ts";
import { getMetrics } from "./emails/get-metrics.ts";
import { listAttachments } from "./emails/list-attachments.ts";
import { listEmailEvents } from "./emails/list-email-events.ts";
import { listEmails } from "./emails/list-emails.ts";
import { listReceipts } from "./emails/list-receipts.ts";
import { sendBatch } from "./emails/send-batch.ts";
import { sendEmail } from "./emails/send-email.ts";
import { updateEmail } from "./emails/update-email.ts";
import { getOpenapi } from "./get-openapi.ts";
import { createGroup } from "./groups/create-group.ts";
import { deleteGroup } from "./groups/delete-group.ts";
import { getGroup } from "./groups/get-group.ts";
import { listGroups } from "./groups/list-groups.ts";
import { updateGroup } from "./groups/update-group.ts";
import { createInboundAddress } from "./inbound-addresses/create-inbound-address.ts";
import { deleteInboundAddress } from "./inbound-addresses/delete-inbound-address.ts";
import { getInboundAddress } from "./inbound-addresses/get-inbound-address.ts";
import { listInboundAddresses } from "./inbound-addresses/list-inbound-addresses.ts";
import { getLog } from "./logs/get-log.ts";
import { listLogs } from "./logs/list-logs.ts";
import { addAlias } from "./mailboxes/add-alias.ts";
import { createMailbox } from "./mailboxes/create-mailbox.ts";
import { deleteMailbox } from "./mailboxes/delete-mailbox.ts";
import { getMailbox } from "./mailboxes/get-mailbox.ts";
import { listAliases } from "./mailboxes/list-aliases.ts";
import { listMailboxes } from "./mailboxes/list-mailboxes.ts";
import { removeAlias } from "./mailboxes/remove-alias.ts";
import { resetPassword } from "./mailboxes/reset-password.ts";
import { updateMailbox } from "./mailboxes/update-mailbox.ts";
import { getReceivedAttachment } from "./receiving/get-received-attachment.ts";
import { getReceived } from "./receiving/get-received.ts";
import { listReceivedAttachments } from "./receiving/list-received-attachments.ts";
import { listReceived } from "./receiving/list-received.ts";
import { addBatch } from "./suppressions/add-batch.ts";
import { addSuppression } from "./suppressions/add-suppression.ts";
import { getSuppression } from "./suppressions/get-suppression.ts";
import { listSuppressions } from "./suppressions/list-suppressions.ts";
import { removeBatch } from "./suppressions/remove-batch.ts";
import { removeSuppression } from "./suppressions/remove-suppression.ts";
import { createTemplate } from "./templates/create-template.ts";
import { deleteTemplate } from "./templates/delete-template.ts";
import { duplicateTemplate } from "./templates/duplicate-template.ts";
import { getTemplate } from "./templates/get-template.ts";
import { listTemplates } from "./templates/list-templates.ts";
import { publishTemplate } from "./templates/publish-template.ts";
import { updateTemplate } from "./templates/update-template.ts";
import { advanceClock } from "./test/advance-clock.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { getWebhookEvent } from "./webhooks/get-webhook-event.ts";
import { getWebhook } from "./webhooks/get-webhook.ts";
import { listAttempts } from "./webhooks/list-attempts.ts";
import { listWebhookEvents } from "./webhooks/list-webhook-events.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { replayEvent } from "./webhooks/replay-event.ts";
import { rotateSecret } from "./webhooks/rotate-secret.ts";
import { sendTestEvent } from "./webhooks/send-test-event.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";

/** Every endpoint of the public API. */
export const endpoints: AnyEndpoint[] = [
  describeApi,
  getOpenapi,
  sendEmail,
  sendBatch,
  checkEmail,
  listEmails,
  getMetrics,
  getEmail,
  updateEmail,
  cancelEmail,
  listEmailEvents,
  listReceipts,
  listAttachments,
  getAttachment,
  listReceived,
  getReceived,
  listReceivedAttachments,
  getReceivedAttachment,
  listDomains,
  addDomain,
  getDomain,
  updateDomain,
  deleteDomain,
  verifyDomain,
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
  listTemplates,
  createTemplate,
  getTemplate,
  updateTemplate,
  deleteTemplate,
  publishTemplate,
  duplicateTemplate,
  listMailboxes,
  createMailbox,
  getMailbox,
  updateMailbox,
  deleteMailbox,
  resetPassword,
  listAliases,
  addAlias,
  removeAlias,
  listGroups,
  createGroup,
  getGroup,
  updateGroup,
  deleteGroup,
  listInboundAddresses,
  createInboundAddress,
  getInboundAddress,
  deleteInboundAddress,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  sendTestEvent,
  listWebhookEvents,
  getWebhookEvent,
  listAttempts,
  replayEvent,
  advanceClock,
];
