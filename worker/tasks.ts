import { spawn } from "node:child_process";

import type { Task, TaskList } from "graphile-worker";

import { config } from "#server/config.ts";
import { rotateOldKeys } from "#server/core/domains/domains/rotate-dkim-keys.ts";
import { expireClaims } from "#server/core/domains/ownership/claims.ts";
import { notifyModerators } from "#server/core/mail/group-posts/moderation.ts";
import { sendResetLink } from "#server/core/mail/notices/operator-notice.ts";
import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import {
  reportFailingMembers,
  reportFailingWebhooks,
  reportFullMailboxes,
} from "#server/core/mail/notices/trouble-reports.ts";
import { noticeHttp, postNotices } from "#server/core/mail/notifications/post-notices.ts";
import { sendDigests } from "#server/core/mail/quarantine-digests/digests.ts";
import { parseReceived } from "#server/core/mail/received/parse-received.ts";
import { sendDmarcReports } from "#server/core/mail/sent-reports/dmarc-reports.ts";
import { sendTlsReports } from "#server/core/mail/sent-reports/tls-reports.ts";
import { refreshForwards } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { kickMailApps } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { runMailboxImport } from "#server/core/mailboxes/mailbox-imports/run-mailbox-import.ts";
import { removeMailStores } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { isBackupDue } from "#server/core/operations/backups/backups.ts";
import { areChangesDue } from "#server/core/operations/backups/stored-changes.ts";
import { applyRetention, RETENTION } from "#server/core/operations/retention/retention.ts";
import { deleteRetiredKeys } from "#server/core/sending/dkim/dkim-keys.ts";
import { sealAudit } from "#server/core/shared/audit/audit-seal.ts";
import { createContext } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { createOutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { type JobName, type JobPayload, jobs } from "#server/jobs/catalogue.ts";
import { createLogger } from "#server/processes/logger.ts";
import { programFile } from "#server/processes/program-file.ts";
import { asServiceUser } from "#server/processes/service-user.ts";

const log = createLogger("worker");

/** @param attempt counts from 1 */
type Run<Name extends JobName> = (payload: JobPayload<Name>, attempt: number) => Promise<unknown>;

/** What each job does. The comments say why it may run twice. */
const runs: { [Name in JobName]: Run<Name> } = {
  apply_retention: ({ every }) => applyRetention(db(), RETENTION[every]),

  /**
   * Starts the nightly backup. Safe to run concurrently: the second backup finds the lock of the first and
   * exits. The record of the run and Health show why it failed.
   */
  async back_up() {
    if (await isBackupDue(db(), config()))
      await runBackupCommand(["backup", "--if-due"], "the backup failed");
  },

  /** Kicks sessions that were just signing in, or all of them if Dovecot was down at the first attempt. */
  end_mail_sessions: ({ address }) => kickMailApps(db(), address),

  /** Deletes domains whose ownership was not verified in time. They are hidden already, so running late is harmless. */
  expire_domain_claims: () => expireClaims(db()),

  /** Safe to run concurrently: each line is imported once, under a lock of the import. */
  import_mailboxes: ({ id }, attempt) => runMailboxImport(db(), id, { attempt }),

  /** Parses a received email and publishes `email.received`, once. */
  parse_received: ({ id }, attempt) => parseReceived(db(), id, { attempt }),

  /** Safe to run concurrently: only one run leases the URL. */
  post_notices: ({ settingsId }) => postNotices(db(), settingsId, noticeHttp()),

  /** Each mailbox is compiled under its lock, from its current state. */
  refresh_forwards: ({ companyId, mailbox }) =>
    refreshForwards(
      createContext(db(), companyId, { kind: "system", task: "forwarding" }),
      mailbox,
    ),

  async remove_mail_stores() {
    const { roles, mailHost } = config();
    // Mail hosts with names look for what to delete themselves (mail/links).
    if (roles.has("mail") && mailHost === null) await removeMailStores(db());
  },

  /** Safe to run concurrently: each run marks what it reports and skips rows locked by the other. */
  report_failing_members: () => reportFailingMembers(db()),

  /** Like `report_failing_members`. */
  report_failing_webhooks: () => reportFailingWebhooks(db()),

  /** Safe to run concurrently: a company's mailboxes are reported under a lock. */
  report_full_mailboxes: () => reportFullMailboxes(db()),

  /** The yearly rotation. Safe to run concurrently: a domain has one next key of each algorithm. */
  async rotate_dkim_keys() {
    await rotateOldKeys(db());
    await deleteRetiredKeys(db());
  },

  /** Safe to run concurrently: one of them seals a company's entries. */
  async seal_audit() {
    await sealAudit(db());
  },

  /** Safe to run concurrently: a mailbox's digest and the period that it covers are committed together. */
  send_digests: () => sendDigests(db(), log),

  /** Idempotent: the ids of the emails are fixed in the payload. */
  send_notice: (payload) => sendNotice(db(), payload),

  /** TLS and DMARC reports of past days. Safe to run concurrently: each report has one id. */
  async send_reports() {
    const resolver = createResolver(config());
    const http = createOutgoingHttp({ resolver, allowedPrivate: [] });
    try {
      await sendTlsReports(db(), { resolver, http });
      await sendDmarcReports(db(), { resolver, http });
    } finally {
      await http.close();
    }
  },

  /** A second run sends a second link; each works once. */
  send_reset_link: ({ email }) => sendResetLink(db(), email),

  /** Stores a restore point if one is due. Safe to run concurrently, like a backup. */
  async store_changes() {
    if (await areChangesDue(db(), config(), new Date()))
      await runBackupCommand(["store-changes"], "changes couldn't be stored");
  },

  /** Idempotent: a second run finds that the moderators were just notified. */
  tell_moderators: ({ group }) => notifyModerators(db(), group),
};

const COMMAND = programFile("server/cli/posthouse.ts");

/**
 * All tasks by the names of their jobs. Payloads are validated, without the `_cron` field that graphile-worker adds.
 */
export const taskList: TaskList = Object.fromEntries(
  (Object.keys(runs) as JobName[]).map((name) => [name, toTask(name, runs)]),
);

function toTask<Name extends JobName>(
  name: Name,
  { [name]: run }: { [Key in Name]: Run<Key> },
): Task {
  return async (payload, { job }) => {
    await run(jobs[name].payload.parse(payload), job.attempts);
  };
}

/**
 * Starts a command that reads the database's files, in a process of its own. The job doesn't wait for it, so that this process can
 * exit at any time; the command then ends too.
 *
 * @param failure for the log, if the command fails
 */
async function runBackupCommand(given: string[], failure: string): Promise<void> {
  const { command, args } = await asServiceUser(
    { command: process.execPath, args: [COMMAND, ...given] },
    { paths: [process.execPath, COMMAND, config().dataFolder], deathSignal: "TERM" },
  );
  const child = spawn(command, args, {
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log = createLogger("worker");
  let reason = "";
  child.stderr.on("data", (chunk: Buffer) => {
    reason = chunk.toString().trim().split("\n").at(-1) ?? reason;
  });
  child.once("error", (error) => log.error({ err: error }, failure));
  child.once("close", (code) => {
    if (code !== 0) log.error({ code, reason }, failure);
  });
}
