import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { pino } from "pino";

import { type Config, config } from "#server/config.ts";
import { readOrCreateSecret } from "#server/core/shared/secrets/instance-key.ts";
import { lmtpSocketPath } from "#server/core/mailboxes/mailboxes/lmtp-socket.ts";
import { type Certificate, loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import { apiKeyFile } from "#server/gateways/dovecot.ts";
import { db } from "#server/db/pool.ts";
import { type RunningDovecot, runDovecot } from "#mail/dovecot/run-dovecot.ts";
import type { ProbeLimits } from "#mail/dovecot/watch-health.ts";
import type { DovecotSettings } from "#mail/dovecot/settings.ts";
import { type PolicyServer, startPolicyServer } from "#mail/policy/policy-server.ts";
import { type SieveListener, startSieveListener } from "#mail/sieve/sieve-listener.ts";

import { aFreePort } from "./a-free-port.ts";

export type TestDovecot = DovecotSettings["ports"] & {
  /** Changes at a restart. */
  lmtpSocket: string;
  /** For `dovecotAdmin` and other users of a data folder. */
  dataFolder: string;
  certificate: Certificate;
  running: RunningDovecot;
  /** Receives what Sieve scripts send. */
  sieveListener: SieveListener;
  /** Counts sign-ins. */
  policyServer: PolicyServer;
  /** Stops it and deletes its folder. */
  stop(): Promise<void>;
};

/**
 * A Dovecot of the test's own on free loopback ports, with its users in the test's database. Wrong
 * passwords are answered without the delay that guessers get.
 *
 * @param givenFolder to run on, such as the data folder of the test's own process
 * @param folder below a temporary one, for a data folder with an odd name
 * @param parentMode of the temporary folder
 * @param log lines of Dovecot, for the test that reads them
 */
export async function aDovecot({
  givenFolder,
  folder = "data",
  parentMode = 0o755,
  databaseUrl = config().databaseUrl!,
  ports: fixedPorts = {},
  log = pino({ level: "silent" }),
  patience,
  proxyProtocol,
  indexEveryMs,
}: {
  givenFolder?: string;
  folder?: string;
  parentMode?: number;
  databaseUrl?: string;
  ports?: Partial<DovecotSettings["ports"]>;
  log?: pino.Logger;
  patience?: ProbeLimits;
  proxyProtocol?: Config["proxyProtocol"];
  indexEveryMs?: number;
} = {}): Promise<TestDovecot> {
  const root = givenFolder ?? (await mkdtemp(join(tmpdir(), "posthouse-dovecot-")));
  const dataFolder = givenFolder ?? join(root, folder);
  await mkdir(dataFolder, { recursive: true });
  await chmod(root, parentMode);
  const hostname = "mail.example.test";
  const certificate = await loadSelfSigned({ dataFolder, hostname, now: new Date() });
  const ports = {
    imap: await aFreePort(),
    imaps: await aFreePort(),
    pop3: await aFreePort(),
    pop3s: await aFreePort(),
    sieve: await aFreePort(),
    ...fixedPorts,
  };
  const sieveListener = await startSieveListener({ db: db(), log });
  const policyServer = await startPolicyServer({ db: db(), log });
  const removeFolder = async () => {
    await Promise.all([sieveListener.stop(), policyServer.stop()]);
    await rm(root, { recursive: true, force: true });
  };
  const running = await runDovecot(
    {
      dataFolder,
      hostname,
      baseUrl: "https://mail.example.test",
      bind: "127.0.0.1",
      ports,
      databaseUrl,
      certificate,
      apiKey: readOrCreateSecret(apiKeyFile(dataFolder)),
      failureDelaySeconds: 0,
      policy: policyServer,
      sievePort: sieveListener.port,
      proxyProtocol,
    },
    log,
    { checkDatabaseEveryMs: 100, indexEveryMs, ...(patience && { patience }) },
  ).catch(async (error: unknown) => {
    await removeFolder();
    throw error;
  });
  return {
    ...ports,
    dataFolder,
    certificate,
    running,
    sieveListener,
    policyServer,
    lmtpSocket: lmtpSocketPath(dataFolder),
    async stop() {
      await running.stop();
      await removeFolder();
    },
  };
}
