import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import type { Config } from "#server/config.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { startChecks } from "#server/core/operations/system-checks/run-checks.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import { type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

import {
  deleteMessage,
  leaseAlarmMessages,
  listAlarmReaders,
  postponeMessage,
} from "./alarm-messages.ts";
import {
  findDeliveryConditions,
  findProcessConditions,
  finishRound,
  type FirstFound,
  settle,
  startRound,
  type StartsSample,
} from "./conditions.ts";
import { sendAlarmMessage, summarizeDay } from "./send-alarm-message.ts";
import { findStateConditions } from "./find-state-conditions.ts";
import { listRaisedAlarms, updateAlarms } from "./alarms.ts";

const ROUND_SECONDS = 15;
const LOOK_EVERY_MS = 20_000;
/** Grace period for processes that have just started. */
const FIRST_LOOK_AFTER_MS = 20_000;
const STOP_MAX_MS = 2_000;
/** Those that found a problem are repeated sooner, so that its alarm is cleared soon after it is solved. */
const CHECKS = { olderThanSeconds: 3_600, troubledSeconds: 600 };
/** The hour (UTC) of the daily ledger. An appliance that is off at that hour runs it once two days have passed. */
const LEDGER_HOUR = 3;
const LEDGER_EVERY_SECONDS = { atItsHour: 43_200, otherwise: 172_800 };

type Options = { db: Db; config: Config; log: Logger };

/**
 * Watches the appliance until stopped, and notifies operators of problems. Run it in every process, so that it
 * keeps working when one fails: each round is run by only one of them.
 */
export function startWatcher(options: Options): RunningLoop {
  const loop = runLoop(() => watch(options), {
    pauseMs: LOOK_EVERY_MS,
    firstPauseMs: FIRST_LOOK_AFTER_MS,
    ref: false,
    onError: (err, failures) => {
      if (failures === 1) options.log.warn({ err }, "could not check for alarms; retrying");
    },
    onRecovered: () => options.log.info("checking for alarms again"),
  });
  return {
    // The ledger can take minutes. Closing the database's connections ends it.
    stop: () => Promise.race([loop.stop(), delay(STOP_MAX_MS, undefined, { ref: false })]),
  };
}

type RoundResult = { firstFound?: FirstFound; samples?: StartsSample[] };

/** Runs a round if one is due. */
export async function watch({ db, config, log }: Options): Promise<void> {
  const before = (await startRound(db, "alarms", ROUND_SECONDS)) as RoundResult | null;
  if (before === null) return;
  if (!config.localMode) await startChecks(db, CHECKS);
  const nowMs = Date.now();
  const processes = await findProcessConditions(db, { samples: before.samples ?? [], nowMs });
  const conditions = [
    ...processes.conditions,
    ...(await findDeliveryConditions(db)),
    ...(await findStateConditions(db, config)),
  ];
  const { lasting, firstFound } = settle(conditions, {
    before: before.firstFound ?? {},
    nowMs,
    raised: new Set((await listRaisedAlarms(db)).map(({ name }) => name)),
  });
  const { raised, cleared } = await updateAlarms(db, lasting, { isSilent: config.localMode });
  for (const { name, found } of raised) log.warn({ alarm: name }, `alarm raised: ${found}`);
  for (const { name, found } of cleared) log.info({ alarm: name }, `alarm cleared: ${found}`);
  // Before what may take minutes: meanwhile, other processes run the next rounds and need this result.
  await finishRound(db, "alarms", { firstFound, samples: processes.samples });
  if (!config.localMode) await summarizeDay(db, new Date(nowMs));
  await sendDueMessages({ db, config, log });
  await runLedger(db, new Date(nowMs));
}

/** Once a day, at night, since it reads every recipient. */
async function runLedger(db: Db, now: Date): Promise<void> {
  const { atItsHour, otherwise } = LEDGER_EVERY_SECONDS;
  const everySeconds = now.getUTCHours() === LEDGER_HOUR ? atItsHour : otherwise;
  if ((await startRound(db, "ledger", everySeconds)) === null) return;
  const [emails, mail] = [await auditLedger(db), await auditMail(db)];
  await finishRound(db, "ledger", {
    accepted: emails.accepted + mail.accepted,
    unaccounted: emails.unaccounted + mail.unaccounted,
  });
}

async function sendDueMessages({ db, config, log }: Options): Promise<void> {
  const due = await leaseAlarmMessages(db);
  if (due.length === 0) return;
  const around = {
    db,
    config,
    settings: await readSettings(db),
    operators: await listAlarmReaders(db),
  };
  // A channel that hangs doesn't delay the others.
  const channels = Map.groupBy(due, ({ channel }) => channel).values();
  await Promise.all([...channels].map((messages) => sendInOrder(messages, around, log)));
}

type Around = Parameters<typeof sendAlarmMessage>[2] & { db: Db };

async function sendInOrder(
  messages: Awaited<ReturnType<typeof leaseAlarmMessages>>,
  around: Around,
  log: Logger,
): Promise<void> {
  const { db } = around;
  for (const queued of messages)
    try {
      await sendAlarmMessage(queued.channel, queued, around);
      await deleteMessage(db, queued.id);
    } catch (err) {
      const willRetry = await postponeMessage(db, queued);
      log.warn({ err, channel: queued.channel, willRetry }, "could not send an alarm");
    }
}
