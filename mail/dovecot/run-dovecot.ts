import type { Logger } from "pino";

import type { Certificate } from "#server/core/platform/tls/certificate.ts";
import type { SearchFacts } from "#server/core/platform/processes/search-facts.ts";
import { findDovecot } from "#server/gateways/find-dovecot.mjs";
import { describeExit, supervise } from "#server/processes/supervise.ts";
import { signalGroup } from "#server/processes/service-process.ts";
import { serviceUser } from "#server/processes/service-user.ts";

import type { DovecotSettings, MailHost } from "./settings.ts";
import { keepSearchIndexes } from "./search-indexes.ts";
import { startDovecot } from "./start-dovecot.ts";
import { PROBE_LIMITS, type ProbeLimits, watchHealth } from "./watch-health.ts";
import { isDatabaseReachable, watchDatabase } from "./watch-database.ts";
import { writeCertificate, writeMailHosts, writeNamedCertificates } from "./write-configuration.ts";

export type RunningDovecot = {
  /** PID of the master process; null while it is not running. */
  pid(): number | null;
  /** Whether it has responded lately; see `watchHealth`. */
  isAnswering(): boolean;
  /** Progress and errors of the search indexes on this host. */
  search(): SearchFacts;
  /** Shows another certificate to new connections. Open sessions go on. */
  useCertificate(certificate: Certificate): Promise<void>;
  /** Replaces the certificates of further names, in the same way. */
  useNamedCertificates(named: ReadonlyMap<string, Certificate>): Promise<void>;
  /** Takes over a change among the mail hosts, in the same way. */
  useMailHost(mailHost: MailHost): Promise<void>;
  /** Ends all sessions and Dovecot. */
  stop(): Promise<void>;
};

const CHECK_DATABASE_EVERY_MS = 1_000;
const INDEX_EVERY_MS = 60_000;

/**
 * Runs Dovecot until stopped. If it exits, it is restarted after 0.5 s, with backoff up to 30 s. If it stops
 * responding, it is killed.
 *
 * @throws Error when the first start fails
 */
export async function runDovecot(
  given: Omit<DovecotSettings, "version" | "hasSearch">,
  log: Logger,
  {
    checkDatabaseEveryMs = CHECK_DATABASE_EVERY_MS,
    indexEveryMs = INDEX_EVERY_MS,
    patience = PROBE_LIMITS,
  }: {
    checkDatabaseEveryMs?: number;
    indexEveryMs?: number | undefined;
    patience?: ProbeLimits;
  } = {},
): Promise<RunningDovecot> {
  let current!: DovecotSettings;
  const supervised = supervise({
    async start(signal) {
      const { binary, version, hasSearch } = await findDovecot();
      current = { ...given, ...current, version, hasSearch };
      return startDovecot(current, { binary, log, signal });
    },
    onDown: (exit, restartInMs) =>
      log.error(
        { lastLines: exit.lastLines, restartInMs },
        `Dovecot ended (${describeExit(exit)}); restarting it`,
      ),
    onUp: () => log.info("Dovecot is running again"),
  });
  await supervised.started;
  const reload = () => {
    const pid = supervised.pid();
    if (pid !== null) process.kill(pid, "SIGHUP");
  };
  const stopWatching = watchDatabase(given.databaseUrl, {
    everyMs: checkDatabaseEveryMs,
    onAway: (reason) => log.error({ err: reason }, "Dovecot can't reach the database"),
    onBack() {
      log.info("Dovecot can reach the database again");
      reload();
    },
  });
  const searchIndexes = keepSearchIndexes({
    dataFolder: given.dataFolder,
    host: given.mailHost?.name ?? null,
    log,
    everyMs: indexEveryMs,
    lacks: () => (current.version === "2.3" ? "2.4" : current.hasSearch ? null : "package"),
  });
  const answers = watchHealth(current, {
    pid: () => supervised.pid(),
    patience,
    hasDatabase: () => isDatabaseReachable(given.databaseUrl, patience.answerWithinMs),
    onSilent() {
      log.error("Dovecot does not respond; killing it");
      const pid = supervised.pid();
      if (pid !== null) signalGroup(pid, "SIGKILL");
    },
  });
  return {
    pid: () => supervised.pid(),
    isAnswering: () => answers.isAnswering(),
    search: () => searchIndexes.facts(),
    async useCertificate(certificate) {
      current = { ...current, certificate };
      await writeCertificate(current, await serviceUser());
      reload();
    },
    async useNamedCertificates(namedCertificates) {
      current = { ...current, namedCertificates };
      await writeNamedCertificates(current, await serviceUser());
      reload();
    },
    async useMailHost(mailHost) {
      current = { ...current, mailHost };
      await writeMailHosts(current, await serviceUser());
      reload();
    },
    async stop() {
      answers.stop();
      stopWatching();
      await searchIndexes.stop();
      await supervised.stop();
    },
  };
}
