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
import { exportAudit } from "./audit/export-audit.ts";
import { listAudit } from "./audit/list-audit.ts";
import { deletePermanently } from "./deleted-items/delete-permanently.ts";
import { listDeleted } from "./deleted-items/list-deleted.ts";
import { restoreDeleted } from "./deleted-items/restore-deleted.ts";
import { createDomain } from "./domains/create-domain.ts";
import { deleteDomain } from "./domains/delete-domain.ts";
import { emailRecords } from "./domains/email-records.ts";
import { getConnectLink } from "./domains/get-connect-link.ts";
import { getDmarcReports } from "./domains/get-dmarc-reports.ts";
import { getDomain } from "./domains/get-domain.ts";
import { getDomainDoctor } from "./domains/get-domain-doctor.ts";
import { getDomainUse } from "./domains/get-domain-use.ts";
import { getTlsReports } from "./domains/get-tls-reports.ts";
import { listDomains } from "./domains/list-domains.ts";
import { previewDnsSetup } from "./domains/preview-dns-setup.ts";
import { publishDnsSetup } from "./domains/publish-dns-setup.ts";
import { rotateKeys } from "./domains/rotate-keys.ts";
import { updateDomain } from "./domains/update-domain.ts";
import { verifyDomain } from "./domains/verify-domain.ts";
import { cancelEmail } from "./emails/cancel-email.ts";
import { checkEmail } from "./emails/check-email.ts";
import { composeEmail } from "./emails/compose-email.ts";
import { downloadAttachment } from "./emails/download-attachment.ts";
import { downloadEmail } from "./emails/download-email.ts";
import { downloadReceipts } from "./emails/download-receipts.ts";
import { getAttachment } from "./emails/get-attachment.ts";
import { getEmailChoices } from "./emails/get-email-choices.ts";
import { getEmailSource } from "./emails/get-email-source.ts";
import { getEmail } from "./emails/get-email.ts";
import { listEmailEvents } from "./emails/list-email-events.ts";
import { exportEmails } from "./emails/export-emails.ts";
import { listEmails } from "./emails/list-emails.ts";
import { loadRemoteImage } from "./emails/load-remote-image.ts";
import { rescheduleEmail } from "./emails/reschedule-email.ts";
import { resendEmail } from "./emails/resend-email.ts";
import { changeMembers } from "./groups/change-members.ts";
import { checkGroupAddresses } from "./groups/check-group-addresses.ts";
import { createGroup } from "./groups/create-group.ts";
import { deleteGroup } from "./groups/delete-group.ts";
import { updateGroupAccess } from "./groups/update-group-access.ts";
import { getGroupOptions } from "./groups/get-group-options.ts";
import { getGroup } from "./groups/get-group.ts";
import { exportGroups } from "./groups/export-groups.ts";
import { listGroups } from "./groups/list-groups.ts";
import { updateGroup } from "./groups/update-group.ts";
import { containMailbox } from "./on-hold/contain-mailbox.ts";
import { listOnHold } from "./on-hold/list-on-hold.ts";
import { releaseOnHold } from "./on-hold/release-on-hold.ts";
import { getLog } from "./logs/get-log.ts";
import { exportLogs } from "./logs/export-logs.ts";
import { listLogs } from "./logs/list-logs.ts";
import { acceptInvitation } from "./invitations/accept-invitation.ts";
import { invite } from "./invitations/invite.ts";
import { listInvitations } from "./invitations/list-invitations.ts";
import { getInvitation } from "./invitations/get-invitation.ts";
import { resendInvitation } from "./invitations/resend-invitation.ts";
import { withdrawInvitation } from "./invitations/withdraw-invitation.ts";
import { cancelImport } from "./mail-imports/cancel-import.ts";
import { checkSource } from "./mail-imports/check-source.ts";
import { getImport } from "./mail-imports/get-import.ts";
import { listImports } from "./mail-imports/list-imports.ts";
import { repeatImport } from "./mail-imports/repeat-import.ts";
import { startImports } from "./mail-imports/start-imports.ts";
import { addAlias } from "./mailboxes/add-alias.ts";
import { checkImport } from "./mailboxes/check-import.ts";
import { createMailbox } from "./mailboxes/create-mailbox.ts";
import { deleteMailbox } from "./mailboxes/delete-mailbox.ts";
import { endSessions } from "./mailboxes/end-sessions.ts";
import { getAccess } from "./mailboxes/get-access.ts";
import { getEffectiveSettings } from "./mailboxes/get-effective-settings.ts";
import { getMailboxOptions } from "./mailboxes/get-mailbox-options.ts";
import { getMailbox } from "./mailboxes/get-mailbox.ts";
import { exportMailboxes } from "./mailboxes/export-mailboxes.ts";
import { listMailboxes } from "./mailboxes/list-mailboxes.ts";
import { listShares } from "./mailboxes/list-shares.ts";
import { readSetUps } from "./mailboxes/read-set-ups.ts";
import { removeAlias } from "./mailboxes/remove-alias.ts";
import { removeShare } from "./mailboxes/remove-share.ts";
import { resendPasswordLink } from "./mailboxes/resend-password-link.ts";
import { resetPassword } from "./mailboxes/reset-password.ts";
import { resetSecondFactor } from "./mailboxes/reset-second-factor.ts";
import { revokeAppPassword } from "./mailboxes/revoke-app-password.ts";
import { selectMailboxes } from "./mailboxes/select-mailboxes.ts";
import { setShare } from "./mailboxes/set-share.ts";
import { unlinkMailbox } from "./mailboxes/unlink-mailbox.ts";
import { updateMailbox } from "./mailboxes/update-mailbox.ts";
import { getMetrics } from "./metrics/get-metrics.ts";
import { getOverview } from "./overview/get-overview.ts";
import { changeChecklist } from "./overview/change-checklist.ts";
import { snoozeProblem } from "./overview/snooze-problem.ts";
import { createCompany } from "./operate/companies/create-company.ts";
import { getCompany } from "./operate/companies/get-company.ts";
import { inviteOwner } from "./operate/companies/invite-owner.ts";
import { listCompanies } from "./operate/companies/list-companies.ts";
import { updateCompany } from "./operate/companies/update-company.ts";
import { getHealth } from "./operate/health/get-health.ts";
import { erasePerson } from "./operate/erasure/erase-person.ts";
import { changeSetting } from "./operate/limits/change-setting.ts";
import { listSettings } from "./operate/limits/list-settings.ts";
import { previewSetting } from "./operate/limits/preview-setting.ts";
import { changeMailboxHost } from "./operate/mail-hosts/change-mailbox-host.ts";
import { getMailboxHost } from "./operate/mail-hosts/get-mailbox-host.ts";
import { listMailHosts } from "./operate/mail-hosts/list-mail-hosts.ts";
import { listMailLog } from "./operate/mail-log/list-mail-log.ts";
import { listOutgoing } from "./operate/mail-log/list-outgoing.ts";
import { createPlan } from "./operate/plans/create-plan.ts";
import { deletePlan } from "./operate/plans/delete-plan.ts";
import { listPlans } from "./operate/plans/list-plans.ts";
import { previewPlan } from "./operate/plans/preview-plan.ts";
import { updatePlan } from "./operate/plans/update-plan.ts";
import { dropMail } from "./operate/queue/drop-mail.ts";
import { getQueue } from "./operate/queue/get-queue.ts";
import { holdMail } from "./operate/queue/hold-mail.ts";
import { listWaiting } from "./operate/queue/list-waiting.ts";
import { releaseMail } from "./operate/queue/release-mail.ts";
import { retryMail } from "./operate/queue/retry-mail.ts";
import { createInboundAddress } from "./inbound-addresses/create-inbound-address.ts";
import { deleteInboundAddress } from "./inbound-addresses/delete-inbound-address.ts";
import { listInboundAddresses } from "./inbound-addresses/list-inbound-addresses.ts";
import { downloadReceivedFile } from "./received/download-received-file.ts";
import { downloadReceivedSource } from "./received/download-received-source.ts";
import { getReceived } from "./received/get-received.ts";
import { listReceived } from "./received/list-received.ts";
import { deleteQuarantined } from "./quarantine/delete-quarantined.ts";
import { getQuarantined } from "./quarantine/get-quarantined.ts";
import { listQuarantine } from "./quarantine/list-quarantine.ts";
import { releaseQuarantined } from "./quarantine/release-quarantined.ts";
import { createRole } from "./roles/create-role.ts";
import { deleteRole } from "./roles/delete-role.ts";
import { listRoles } from "./roles/list-roles.ts";
import { updateRole } from "./roles/update-role.ts";
import { search } from "./search/search.ts";
import { getMe } from "./sessions/get-me.ts";
import { signIn } from "./sessions/sign-in.ts";
import { signOut } from "./sessions/sign-out.ts";
import { requestReset } from "./password-reset/request-reset.ts";
import { checkResetLink } from "./password-reset/check-reset-link.ts";
import { resetOwnPassword } from "./password-reset/reset-password.ts";
import {
  getPasskeyChallenge,
  confirmTotp,
  finishPasskey,
  regenerateRecoveryCodes,
  removePasskey,
  removeTotp,
  renamePasskey,
  startPasskey,
  startTotp,
} from "./second-factors/factor-endpoints.ts";
import { passkeyOptions } from "./sessions/passkey-options.ts";
import { passkeySignIn } from "./sessions/passkey-sign-in.ts";
import { providerSignIn } from "./sessions/provider-sign-in.ts";
import { secondFactor } from "./sessions/second-factor.ts";
import { startProviderSignIn } from "./sessions/start-provider-sign-in.ts";
import { endCompanySession } from "./settings/end-company-session.ts";
import { getSettings } from "./settings/get-settings.ts";
import { getUsage } from "./settings/get-usage.ts";
import { listCompanySessions } from "./settings/list-company-sessions.ts";
import { updateSettings } from "./settings/update-settings.ts";
import { checkProvider } from "./single-sign-on/check-provider.ts";
import { getProvider } from "./single-sign-on/get-provider.ts";
import { removeProvider } from "./single-sign-on/remove-provider.ts";
import { saveProvider } from "./single-sign-on/save-provider.ts";
import { unlinkAdmin } from "./single-sign-on/unlink-admin.ts";
import { updateProvider } from "./single-sign-on/update-provider.ts";
import { changePassword } from "./profile/change-password.ts";
import { endOwnOtherSessions } from "./profile/end-own-other-sessions.ts";
import { endOwnSession } from "./profile/end-own-session.ts";
import { getNotifications } from "./profile/get-notifications.ts";
import { getProfile } from "./profile/get-profile.ts";
import { listOwnSessions } from "./profile/list-own-sessions.ts";
import { sendTestNotification } from "./profile/send-test-notification.ts";
import { updateNotifications } from "./profile/update-notifications.ts";
import { updateProfile } from "./profile/update-profile.ts";
import { getSetUp } from "./set-up/get-set-up.ts";
import { setUp } from "./set-up/set-up.ts";
import { createTemplate } from "./templates/create-template.ts";
import { deleteTemplate } from "./templates/delete-template.ts";
import { duplicateTemplate } from "./templates/duplicate-template.ts";
import { getTemplate } from "./templates/get-template.ts";
import { listTemplates } from "./templates/list-templates.ts";
import { publishTemplate } from "./templates/publish-template.ts";
import { restoreVersion } from "./templates/restore-version.ts";
import { updateTemplate } from "./templates/update-template.ts";
import { createUnit } from "./units/create-unit.ts";
import { deleteUnit } from "./units/delete-unit.ts";
import { getUnit } from "./units/get-unit.ts";
import { listUnits } from "./units/list-units.ts";
import { updateUnit } from "./units/update-unit.ts";
import { addAddresses } from "./suppressions/add-addresses.ts";
import { checkList } from "./suppressions/check-list.ts";
import { exportSuppressions } from "./suppressions/export-suppressions.ts";
import { importList } from "./suppressions/import-list.ts";
import { listSuppressions } from "./suppressions/list-suppressions.ts";
import { removeSuppressions } from "./suppressions/remove-suppressions.ts";
import { restoreSuppressions } from "./suppressions/restore-suppressions.ts";
import { getAdmin } from "./team/get-admin.ts";
import { getMailboxPrivileges } from "./team/get-mailbox-privileges.ts";
import { exportTeam } from "./team/export-team.ts";
import { listTeam } from "./team/list-team.ts";
import { removeAdmin } from "./team/remove-admin.ts";
import { switchAccess } from "./team/switch-access.ts";
import { updateAdmin } from "./team/update-admin.ts";
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

/** All endpoints of the console's API, under `/console/api`. */
export const endpoints: AnyEndpoint[] = [
  getSetUp,
  setUp,
  signIn,
  signOut,
  secondFactor,
  passkeyOptions,
  passkeySignIn,
  startProviderSignIn,
  providerSignIn,
  requestReset,
  checkResetLink,
  resetOwnPassword,
  getProfile,
  updateProfile,
  getNotifications,
  updateNotifications,
  sendTestNotification,
  changePassword,
  listOwnSessions,
  endOwnSession,
  endOwnOtherSessions,
  startTotp,
  confirmTotp,
  removeTotp,
  startPasskey,
  finishPasskey,
  renamePasskey,
  removePasskey,
  getPasskeyChallenge,
  regenerateRecoveryCodes,
  getSettings,
  updateSettings,
  getProvider,
  checkProvider,
  saveProvider,
  updateProvider,
  unlinkAdmin,
  removeProvider,
  getUsage,
  listCompanySessions,
  endCompanySession,
  getMe,
  switchCompany,
  search,
  listEmails,
  exportEmails,
  checkEmail,
  composeEmail,
  getEmail,
  rescheduleEmail,
  listEmailEvents,
  cancelEmail,
  resendEmail,
  getEmailSource,
  downloadEmail,
  downloadReceipts,
  getAttachment,
  loadRemoteImage,
  downloadAttachment,
  getEmailChoices,
  listDomains,
  listDeleted,
  restoreDeleted,
  deletePermanently,
  createDomain,
  getDomain,
  rotateKeys,
  updateDomain,
  deleteDomain,
  verifyDomain,
  emailRecords,
  getConnectLink,
  previewDnsSetup,
  publishDnsSetup,
  getDomainDoctor,
  getDomainUse,
  getDmarcReports,
  getTlsReports,
  listMailboxes,
  exportMailboxes,
  getMailboxOptions,
  createMailbox,
  getMailbox,
  updateMailbox,
  deleteMailbox,
  resendPasswordLink,
  resetPassword,
  resetSecondFactor,
  unlinkMailbox,
  addAlias,
  removeAlias,
  listShares,
  setShare,
  removeShare,
  selectMailboxes,
  readSetUps,
  checkImport,
  startImports,
  checkSource,
  listImports,
  getImport,
  cancelImport,
  repeatImport,
  getAccess,
  getEffectiveSettings,
  endSessions,
  revokeAppPassword,
  listUnits,
  createUnit,
  getUnit,
  updateUnit,
  deleteUnit,
  listGroups,
  exportGroups,
  getGroupOptions,
  createGroup,
  getGroup,
  updateGroup,
  changeMembers,
  checkGroupAddresses,
  updateGroupAccess,
  deleteGroup,
  listInboundAddresses,
  createInboundAddress,
  deleteInboundAddress,
  listReceived,
  getReceived,
  downloadReceivedFile,
  downloadReceivedSource,
  listQuarantine,
  getQuarantined,
  releaseQuarantined,
  deleteQuarantined,
  listTemplates,
  createTemplate,
  getTemplate,
  updateTemplate,
  deleteTemplate,
  publishTemplate,
  duplicateTemplate,
  restoreVersion,
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
  listOnHold,
  releaseOnHold,
  containMailbox,
  getMetrics,
  getOverview,
  changeChecklist,
  snoozeProblem,
  listChecks,
  runChecks,
  listApiKeys,
  createApiKey,
  getKeyChoices,
  getApiKey,
  updateApiKey,
  revokeApiKey,
  listLogs,
  exportLogs,
  getLog,
  listSuppressions,
  addAddresses,
  checkList,
  importList,
  exportSuppressions,
  removeSuppressions,
  restoreSuppressions,
  listTeam,
  exportTeam,
  getAdmin,
  updateAdmin,
  removeAdmin,
  switchAccess,
  getMailboxPrivileges,
  listRoles,
  createRole,
  updateRole,
  deleteRole,
  listInvitations,
  invite,
  resendInvitation,
  withdrawInvitation,
  getInvitation,
  acceptInvitation,
  listAudit,
  exportAudit,
  listCompanies,
  createCompany,
  getCompany,
  updateCompany,
  inviteOwner,
  listPlans,
  createPlan,
  updatePlan,
  previewPlan,
  previewSetting,
  deletePlan,
  getQueue,
  listWaiting,
  holdMail,
  releaseMail,
  retryMail,
  dropMail,
  getHealth,
  listMailHosts,
  getMailboxHost,
  changeMailboxHost,
  listMailLog,
  listOutgoing,
  listSettings,
  changeSetting,
  erasePerson,
];
