import { type Config, config } from "#server/config.ts";
import { flushMailLog } from "#server/core/mail/mail-log/mail-log.ts";
import { startWatcher } from "#server/core/operations/alarms/watcher.ts";
import { startDatabaseAlarm } from "#server/core/operations/alarms/watch-database.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { followCertificates } from "#server/core/platform/certificates/stored-certificates.ts";
import { loadCertificate, watchCertificate } from "#server/core/platform/tls/certificate.ts";
import {
  dovecotDatabasePassword,
  readOrCreateSecret,
} from "#server/core/shared/secrets/instance-key.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { ensureDovecotRole } from "#server/db/dovecot-role.ts";
import { closePool, db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { doveadmKey } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { apiKeyFile } from "#server/gateways/dovecot.ts";
import { replacePrivateFile } from "#server/processes/private-file.ts";
import { createLogger } from "#server/processes/logger.ts";
import { runProcess } from "#server/processes/run-process.ts";

import { type RunningDovecot, runDovecot } from "./dovecot/run-dovecot.ts";
import { runMailHost } from "./links/run-mail-host.ts";
import { startMxListener } from "./mx/mx-listener.ts";
import { startPolicyServer } from "./policy/policy-server.ts";
import { runRspamd } from "./rspamd/run-rspamd.ts";
import { startSieveListener } from "./sieve/sieve-listener.ts";
import {
  startSubmissionListener,
  type SubmissionListener,
  type SubmissionOptions,
} from "./submission/submission-listener.ts";

/** Slows down password guessing. */
const FAILURE_DELAY_SECONDS = 2;

await runProcess("mail", async () => {
  const settings = config();
  await requireInstanceKey(db());
  const log = createLogger("dovecot");
  let dovecot: RunningDovecot | null = null;
  const host = await runMailHost(db(), settings, {
    log,
    onChange: async (changed) => dovecot?.useMailHost(changed),
  });
  const named = await followCertificates(db(), {
    config: settings,
    onChange: async () => dovecot?.useNamedCertificates(await named.loadAll()),
    onProblem: (problem) => log.error({ err: problem }, "couldn't load certificates"),
  });
  const { sniCallback } = named;
  const certificate = await loadCertificate(settings, new Date());
  const policy = await startPolicyServer({ db: db(), log });
  const sieve = await startSieveListener({ db: db(), log: createLogger("sieve") });
  const running = await runDovecot(
    {
      ...settings,
      certificate,
      mailHost: host.mailHost,
      databaseUrl: await dovecotDatabaseUrl(log),
      apiKey: ownDoveadmKey(settings),
      failureDelaySeconds: FAILURE_DELAY_SECONDS,
      policy,
      sievePort: sieve.port,
    },
    log,
  );
  dovecot = running;
  // Those issued before or while it started.
  const issued = await named.loadAll();
  if (issued.size > 0) await running.useNamedCertificates(issued);
  const mx = await startMxListener({
    db: db(),
    log: createLogger("mx"),
    certificate,
    resolver: createResolver(settings),
    sniCallback,
    hostname: settings.hostname,
    bind: settings.bind,
    port: settings.ports.smtp,
    dataFolder: settings.dataFolder,
    proxies: settings.proxyProtocol,
  });
  const submission = await startSubmission({
    db: db(),
    log: createLogger("submission"),
    certificate,
    sniCallback,
    hostname: settings.hostname,
    bind: settings.bind,
    ports: settings.ports,
    proxies: settings.proxyProtocol,
  });
  const stopWatching = watchCertificate(settings, {
    current: certificate,
    onChange: async (renewed) => {
      mx.useCertificate(renewed);
      submission.useCertificate(renewed);
      await running.useCertificate(renewed);
      log.info("a new certificate is in use");
    },
    onProblem: (problem) =>
      log.error({ err: problem }, "the new certificate is invalid; keeping the current one"),
  });
  const stopRspamd = runRspamd(db(), settings, { log: createLogger("rspamd") });
  const watching = { db: db(), config: settings, log: createLogger("watcher") };
  // In local mode, alarms are shown but not sent.
  const watchers = [
    startWatcher(watching),
    ...(settings.localMode ? [] : [startDatabaseAlarm(watching)]),
  ];
  // Idempotency keys that it holds count only from now on; those of the first moments can be taken over.
  const endProcess = await registerProcess(
    db(),
    "mail",
    () => running.isAnswering(),
    () => running.search(),
  );
  return async () => {
    stopWatching();
    named.stop();
    // Before Dovecot, which gets the messages in progress.
    await Promise.all([mx.stop(), submission.stop()]);
    await host.stop();
    await Promise.all([running.stop(), stopRspamd()]);
    await Promise.all([policy.stop(), sieve.stop()]);
    await flushMailLog();
    await Promise.all(watchers.map((watcher) => watcher.stop()));
    await endProcess();
    await closePool();
  };
});

/** Other hosts know the key of a mail host with a name. */
function ownDoveadmKey({ dataFolder, mailHost }: Pick<Config, "dataFolder" | "mailHost">): string {
  const file = apiKeyFile(dataFolder);
  if (mailHost === null) return readOrCreateSecret(file);
  const key = doveadmKey();
  replacePrivateFile(file, key);
  return key;
}

async function dovecotDatabaseUrl(log: ReturnType<typeof createLogger>): Promise<string> {
  const { databaseUrl } = config();
  if (!databaseUrl)
    throw new Error("DATABASE_URL is not set. Start this process with `posthouse start`");
  const password = dovecotDatabasePassword();
  const own = await ensureDovecotRole(databaseUrl, {
    password,
    onProblem: (reason) =>
      log.warn(
        { err: reason },
        "Dovecot has no database role of its own; it uses the role in DATABASE_URL",
      ),
  });
  return own ?? databaseUrl;
}

/**
 * Starts both submission listeners: TLS from the first byte on `submissions`, STARTTLS on `submission`.
 *
 * @throws Error when one of them cannot listen
 */
async function startSubmission({
  ports,
  ...options
}: Omit<SubmissionOptions, "port" | "isImplicitTls"> & {
  ports: { submission: number; submissions: number };
}): Promise<Pick<SubmissionListener, "useCertificate" | "stop">> {
  const listeners = [
    await startSubmissionListener({ ...options, port: ports.submissions, isImplicitTls: true }),
    await startSubmissionListener({ ...options, port: ports.submission, isImplicitTls: false }),
  ];
  return {
    useCertificate: (certificate) =>
      listeners.forEach((listener) => listener.useCertificate(certificate)),
    stop: async () => {
      await Promise.all(listeners.map((listener) => listener.stop()));
    },
  };
}
