import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { createApiKey } from "./api-keys/create-api-key.ts";
import { getApiKey } from "./api-keys/get-api-key.ts";
import { getKeyChoices } from "./api-keys/get-key-choices.ts";
import { listApiKeys } from "./api-keys/list-api-keys.ts";
import { revokeApiKey } from "./api-keys/revoke-api-key.ts";
import { updateApiKey } from "./api-keys/update-api-key.ts";
import { switchCompany } from "./companies/switch-company.ts";
import { listChecks } from "./checks/list-checks.ts";
import { runChecks } from "./checks/run-checks.ts";
import { addDomain } from "./domains/add-domain.ts";
import { deleteDomain } from "./domains/delete-domain.ts";
import { getDmarcReports } from "./domains/get-dmarc-reports.ts";
import { getDomain } from "./domains/get-domain.ts";
import { getDomainDoctor } from "./domains/get-domain-doctor.ts";
import { getDomainUse } from "./domains/get-domain-use.ts";
import { getTlsReports } from "./domains/get-tls-reports.ts";
import { listDomains } from "./domains/list-domains.ts";
import { updateDomain } from "./domains/update-domain.ts";
import { verifyDomain } from "./domains/verify-domain.ts";
import { getEmail } from "./emails/get-email.ts";
import { listEmailEvents } from "./emails/list-email-events.ts";
import { listEmails } from "./emails/list-emails.ts";
import { changeMembers } from "./groups/change-members.ts";
import { createGroup } from "./groups/create-group.ts";
import { deleteGroup } from "./groups/delete-group.ts";
import { updateGroupAccess } from "./groups/update-group-access.ts";
import { getGroup } from "./groups/get-group.ts";
import { listGroups } from "./groups/list-groups.ts";
import { updateGroup } from "./groups/update-group.ts";
import { containMailbox } from "./held/contain-mailbox.ts";
import { listHeld } from "./held/list-held.ts";
import { releaseHeld } from "./held/release-held.ts";
import { getLog } from "./logs/get-log.ts";
import { listLogs } from "./logs/list-logs.ts";
import { addAlias } from "./mailboxes/add-alias.ts";
import { checkImport } from "./mailboxes/check-import.ts";
import { createMailbox } from "./mailboxes/create-mailbox.ts";
import { deleteMailbox } from "./mailboxes/delete-mailbox.ts";
import { endSessions } from "./mailboxes/end-sessions.ts";
import { getAccess } from "./mailboxes/get-access.ts";
import { getInForce } from "./mailboxes/get-in-force.ts";
import { getMailboxOptions } from "./mailboxes/get-mailbox-options.ts";
import { getMailbox } from "./mailboxes/get-mailbox.ts";
import { listMailboxes } from "./mailboxes/list-mailboxes.ts";
import { readSetUps } from "./mailboxes/read-set-ups.ts";
import { removeAlias } from "./mailboxes/remove-alias.ts";
import { resetPassword } from "./mailboxes/reset-password.ts";
import { revokeAppPassword } from "./mailboxes/revoke-app-password.ts";
import { selectMailboxes } from "./mailboxes/select-mailboxes.ts";
import { updateMailbox } from "./mailboxes/update-mailbox.ts";
import { getMetrics } from "./metrics/get-metrics.ts";
import { deleteQuarantined } from "./quarantine/delete-quarantined.ts";
import { getQuarantined } from "./quarantine/get-quarantined.ts";
import { listQuarantine } from "./quarantine/list-quarantine.ts";
import { releaseQuarantined } from "./quarantine/release-quarantined.ts";
import { getMe } from "./sessions/get-me.ts";
import { signIn } from "./sessions/sign-in.ts";
import { signOut } from "./sessions/sign-out.ts";
import { getSetUp } from "./set-up/get-set-up.ts";
import { setUp } from "./set-up/set-up.ts";
import { createUnit } from "./units/create-unit.ts";
import { deleteUnit } from "./units/delete-unit.ts";
import { getUnit } from "./units/get-unit.ts";
import { listUnits } from "./units/list-units.ts";
import { updateUnit } from "./units/update-unit.ts";
import { addAddresses } from "./suppressions/add-addresses.ts";
import { checkAddresses } from "./suppressions/check-addresses.ts";
import { exportSuppressions } from "./suppressions/export-suppressions.ts";
import { listSuppressions } from "./suppressions/list-suppressions.ts";
import { removeSuppressions } from "./suppressions/remove-suppressions.ts";
import { restoreSuppressions } from "./suppressions/restore-suppressions.ts";
import { countFailed } from "./webhooks/count-failed.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { getSigningSecret } from "./webhooks/get-signing-secret.ts";
import { getWebhook } from "./webhooks/get-webhook.ts";
import { getWebhookEvent } from "./webhooks/get-webhook-event.ts";
import { listAttempts } from "./webhooks/list-attempts.ts";
import { listWebhookEvents } from "./webhooks/list-webhook-events.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { replayEvent } from "./webhooks/replay-event.ts";
import { replayFailed } from "./webhooks/replay-failed.ts";
import { rotateSigningSecret } from "./webhooks/rotate-signing-secret.ts";
import { sendTestEvent } from "./webhooks/send-test-event.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";

/** Every endpoint of the console's own API, all under `/console/api`. */
export const endpoints: AnyEndpoint[] = [
  getSetUp,
  setUp,
  signIn,
  signOut,
  getMe,
  switchCompany,
  listEmails,
  getEmail,
  listEmailEvents,
  listDomains,
  addDomain,
  getDomain,
  updateDomain,
  deleteDomain,
  verifyDomain,
  getDomainDoctor,
  getDomainUse,
  getDmarcReports,
  getTlsReports,
  listMailboxes,
  getMailboxOptions,
  createMailbox,
  getMailbox,
  updateMailbox,
  deleteMailbox,
  resetPassword,
  addAlias,
  removeAlias,
  selectMailboxes,
  readSetUps,
  checkImport,
  getAccess,
  getInForce,
  endSessions,
  revokeAppPassword,
  listUnits,
  createUnit,
  getUnit,
  updateUnit,
  deleteUnit,
  listGroups,
  createGroup,
  getGroup,
  updateGroup,
  changeMembers,
  updateGroupAccess,
  deleteGroup,
  listQuarantine,
  getQuarantined,
  releaseQuarantined,
  deleteQuarantined,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  getSigningSecret,
  rotateSigningSecret,
  sendTestEvent,
  listWebhookEvents,
  countFailed,
  replayFailed,
  getWebhookEvent,
  listAttempts,
  replayEvent,
  listHeld,
  releaseHeld,
  containMailbox,
  getMetrics,
  listChecks,
  runChecks,
  listApiKeys,
  createApiKey,
  getKeyChoices,
  getApiKey,
  updateApiKey,
  revokeApiKey,
  listLogs,
  getLog,
  listSuppressions,
  addAddresses,
  checkAddresses,
  exportSuppressions,
  removeSuppressions,
  restoreSuppressions,
];
