import { config } from "#server/config.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { domainDns } from "#server/core/domains/domains/sending-domains.ts";
import { localSmtpAddress, smtpAddressOn } from "#server/core/mail/incoming/recipients.ts";
import { trackMailHosts } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { followSettings } from "#server/core/platform/settings/read-settings.ts";
import { recordBlock } from "#server/core/sending/outbox/delivery-blocks.ts";
import { startWatcher } from "#server/core/operations/alarms/watcher.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { closePool, pool } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { createSecureDns } from "#server/gateways/secure-dns.ts";
import { createOutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { createLogger } from "#server/processes/logger.ts";
import { runLoop } from "#server/processes/run-loop.ts";
import { runProcess } from "#server/processes/run-process.ts";

import { startOrderer } from "./certificates/orderer.ts";
import { OutboundCarrier } from "./delivery/carrier/carrier.ts";
import { createTlsaFinder } from "./delivery/mx/tlsa-finder.ts";
import { createPolicyFinder } from "./delivery/mx/mta-sts.ts";
import { createSessionCounter } from "./delivery/count-sessions.ts";
import { createLimitSync } from "./delivery/shaping/limits.ts";
import { signMessage } from "./delivery/dkim.ts";
import { Sources } from "./delivery/sources.ts";
import { WarmUp } from "./delivery/warm-up.ts";
import { startRechecker } from "./domains/rechecker.ts";
import { startImporter } from "./imports/start-importer.ts";
import { startJobRunner } from "./job-runner.ts";
import { emailSource } from "./pump/email-source.ts";
import { messageSource } from "./pump/message-source.ts";
import type { PumpOptions } from "./pump/source.ts";
import { Pump } from "./pump/pump.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { Deliverer } from "./webhooks/deliverer.ts";
import { ATTEMPTS_MAX } from "./webhooks/lanes.ts";

/** How often limits and settings are read, since other workers learn limits too. */
const REFRESH_MS = { alone: 15_000, together: 5_000 };

// The worker process: deliveries and background jobs.
await runProcess("worker", async () => {
  const { hostname, baseUrl, relay, dataFolder, dnsServers, outboundPort, localMode } = config();
  const { dnssec, outboundSources } = config();
  const connection = pool();
  const log = createLogger("worker");
  const resolver = createResolver({ dnsServers });
  const secureDns = createSecureDns({ dnsServers, dnssec });
  const { db } = connection;
  await requireInstanceKey(db);
  const policyHttp = createOutgoingHttp({ resolver, allowedPrivate: [] });
  const limits = createLimitSync({ db, log });
  const sources = new Sources({
    db,
    hostname,
    localMode,
    resolver,
    log,
    configured: outboundSources,
  });
  const warmUp = new WarmUp({ db, localMode, workers: limits.workers, log });
  const sessions = createSessionCounter({ db, log });
  const carrier = new OutboundCarrier({
    hostname,
    resolver,
    outboundPort,
    allowPrivateHosts: localMode,
    findPolicy: createPolicyFinder({ db, resolver, http: policyHttp, log }),
    findProvider: limits.findProvider,
    warmUp,
    sourceOf: (sender) => sources.of(sender),
    tlsaFinder: secureDns ? createTlsaFinder(secureDns, outboundPort) : undefined,
    onTls: (connection) => sessions.add(connection),
    shaping: { now: limits.now, workers: limits.workers, onLimited: limits.store },
    onBlocked: (block) => {
      log.warn(block, "a destination blocks this server");
      recordBlock(db, block).catch((err: unknown) =>
        log.error({ err }, "could not record a block"),
      );
    },
  });
  const mailHosts = config().roles.has("mail") ? null : await trackMailHosts(db);
  const options: PumpOptions = {
    connection,
    carrier,
    hostname,
    baseUrl,
    relay,
    dataFolder,
    log,
    ownListener: mailHosts ? () => smtpAddressOn(mailHosts) : () => localSmtpAddress(config()),
    compose: composeMessage,
    sign: signMessage,
  };
  await limits.start((key, known) => carrier.restoreLimits(key, known));
  await warmUp.start();
  await sources.start();
  const refreshing = runLoop(
    async () => {
      for (const part of [limits, warmUp, sources]) await part.refresh();
      return limits.workers() > 1 ? REFRESH_MS.together : REFRESH_MS.alone;
    },
    { pauseMs: REFRESH_MS.alone, firstPauseMs: REFRESH_MS.together, ref: false },
  );
  await followSettings(connection.sql, () => refreshing.wake());
  const emails = new Pump(emailSource(options), options);
  const messages = new Pump(messageSource(options), options);
  const webhooks = new Deliverer({
    connection,
    log,
    http: createOutgoingHttp({
      resolver,
      allowedPrivate: config().privateWebhooks,
      // Webhooks of several companies may share a host: a slow one must not use up its connections.
      connectionsPerHostMax: ATTEMPTS_MAX,
    }),
  });
  const deliveries = [emails, messages, webhooks];
  await Promise.all(deliveries.map((part) => part.start()));
  const jobs = startJobRunner({ url: config().databaseUrl!, db, log });
  const scheduler = await startScheduler({ connection, log });
  const rechecker = startRechecker({ db, dns: domainDns(), log });
  const importer = await startImporter({ connection, log });
  const watcher = startWatcher({ db, config: config(), log });
  const orderer = startOrderer({ db, config: config(), resolver, log });
  const isDelivering = () => deliveries.every(({ isStalled }) => !isStalled);
  const endProcess = await registerProcess(db, "worker", isDelivering);
  return async () => {
    const parts = [
      refreshing,
      ...deliveries,
      jobs,
      scheduler,
      rechecker,
      importer,
      watcher,
      orderer,
    ];
    await Promise.all(parts.map((part) => part.stop()));
    await sessions.flush();
    sources.stop();
    await warmUp.stop();
    await mailHosts?.stop();
    await policyHttp.close();
    await endProcess();
    await closePool();
  };
});
