import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import type { PostedNotice } from "#drizzle/schema/index.ts";
import type { Config } from "#server/config.ts";
import { noticeHttp, postNotice } from "#server/core/mail/notifications/post-notices.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

import {
  type AlarmMessage,
  type AlarmReader,
  channelsIn,
  listAlarmReaders,
  noticesFor,
} from "./alarm-messages.ts";
import { sendAlarmMessage } from "./send-alarm-message.ts";

const STOP_MAX_MS = 2_000;
const ASK_EVERY_MS = 20_000;
/** Without an answer for this long, operators are notified. */
const OUTAGE_MS = 60_000;

type Options = {
  db: Db;
  config: Pick<Config, "hostname" | "baseUrl" | "alarmRelay">;
  log: Logger;
  http?: OutgoingHttp;
  outageMs?: number;
  askEveryMs?: number;
};

type Known = { settings: Settings; operators: AlarmReader[] };

/**
 * Notifies operators when the database stops responding and when it responds again, since no other alarm can be
 * raised without it. Uses the settings and the operators' URLs last read from the database. Run it in one process per host.
 */
export function startDatabaseAlarm({
  db,
  config,
  log,
  http = noticeHttp(),
  outageMs = OUTAGE_MS,
  askEveryMs = ASK_EVERY_MS,
}: Options): RunningLoop {
  let known: Known | null = null;
  let answeredAt = performance.now();
  let isTold = false;

  const failed = (channel: string) => (err: unknown) =>
    log.warn({ err, channel }, "could not send an alarm");
  const tell = async (change: "raised" | "cleared") => {
    if (!known) return;
    isTold = change === "raised";
    const told = { id: randomUUID(), message: outageMessage(change) };
    const around = { db: null, config, ...known };
    // One that hangs doesn't delay the others.
    await Promise.all([
      ...channelsIn(known.settings).map((channel) =>
        sendAlarmMessage(channel, told, around).catch(failed(channel)),
      ),
      ...noticesFor(known.operators, told.message, config).map(({ url, content }) =>
        postToOperator(url, { ...content, id: told.id }, http).catch(failed("operator's URL")),
      ),
    ]);
  };
  // A query can hang for a long time, so the time is checked separately.
  const timer = setInterval(() => {
    if (!isTold && performance.now() - answeredAt > outageMs) void tell("raised");
  }, askEveryMs).unref();
  const asking = runLoop(
    async () => {
      known = { settings: await readSettings(db), operators: await listAlarmReaders(db) };
      answeredAt = performance.now();
      if (isTold) await tell("cleared");
    },
    { pauseMs: askEveryMs, ref: false, onError: () => {} },
  );
  return {
    async stop() {
      clearInterval(timer);
      // A hanging query must not delay the end of the process.
      await Promise.race([asking.stop(), delay(STOP_MAX_MS, undefined, { ref: false })]);
    },
  };
}

/** @throws Error with a reason that can be logged */
async function postToOperator(
  url: Parameters<typeof postNotice>[0],
  content: PostedNotice & { id: string },
  http: OutgoingHttp,
): Promise<void> {
  const error = await postNotice(url, { ...content, createdAt: new Date().toISOString() }, http);
  if (error !== null) throw new Error(`The request failed: ${error}`);
}

function outageMessage(change: "raised" | "cleared"): AlarmMessage {
  const at = new Date().toISOString();
  const alarm = {
    name: "database",
    severity: "critical" as const,
    found: "The database doesn't respond",
    advice:
      "Check that Postgres runs and that its disk isn't full, and see `posthouse logs --process postgres`",
    raisedAt: at,
    clearedAt: change === "cleared" ? at : null,
  };
  return { kind: "changes", raised: [], cleared: [], [change]: [alarm] };
}
