import type { Task } from "graphile-worker";

import type { JobName } from "#server/jobs/catalogue.ts";

import { applyRetentionTask, retiredTasks } from "./apply-retention.ts";
import { sealAuditTask, verifyAuditTask } from "./audit-chain.ts";
import { backUpTask, storeChangesTask } from "./back-up.ts";
import { endMailSessionsTask } from "./end-mail-sessions.ts";
import { expireDomainClaims } from "./expire-domain-claims.ts";
import { notifyModeratorsTask } from "./notify-moderators.ts";
import { parseReceivedTask } from "./parse-received.ts";
import { postNoticesTask } from "./post-notices.ts";
import { removeMailStoresTask } from "./remove-mail-stores.ts";
import {
  reportFailingMembersTask,
  reportFailingWebhooksTask,
  reportFullMailboxesTask,
} from "./report-failing.ts";
import { rotateDkimKeysTask } from "./rotate-dkim-keys.ts";
import { sendDigestsTask } from "./send-digests.ts";
import { sendNoticeTask } from "./send-notice.ts";
import { sendReportsTask } from "./send-reports.ts";
import { sendResetLinkTask } from "./send-reset-link.ts";

const tasks = {
  apply_retention: applyRetentionTask,
  back_up: backUpTask,
  end_mail_sessions: endMailSessionsTask,
  expire_domain_claims: expireDomainClaims,
  parse_received: parseReceivedTask,
  post_notices: postNoticesTask,
  remove_mail_stores: removeMailStoresTask,
  report_failing_members: reportFailingMembersTask,
  report_failing_webhooks: reportFailingWebhooksTask,
  report_full_mailboxes: reportFullMailboxesTask,
  rotate_dkim_keys: rotateDkimKeysTask,
  seal_audit: sealAuditTask,
  send_digests: sendDigestsTask,
  send_notice: sendNoticeTask,
  send_reports: sendReportsTask,
  send_reset_link: sendResetLinkTask,
  store_changes: storeChangesTask,
  tell_moderators: notifyModeratorsTask,
  verify_audit: verifyAuditTask,
} satisfies Record<JobName, Task>;

/** All tasks by the names of their jobs, also those of earlier versions, which may still be queued after an upgrade. */
export const taskList = { ...retiredTasks, ...tasks };
