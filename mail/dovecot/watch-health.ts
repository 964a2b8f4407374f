import { setTimeout as wait } from "node:timers/promises";

import { lmtpSocketPath } from "#server/core/mailboxes/mailboxes/lmtp-socket.ts";
import { dovecotAdmin } from "#server/gateways/dovecot.ts";
import { readGreeting } from "#server/gateways/greeting.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import type { DovecotSettings } from "./settings.ts";
import { connectAddress } from "./until-serving.ts";

/** Probe interval, timeout, and how many probes may fail in a row. */
export type ProbeLimits = {
  everyMs: number;
  /** Interval after a failed probe. */
  retryMs?: number;
  answerWithinMs: number;
  /** From here on it counts as not responding. */
  missedForSilent: number;
  /** From here on it is killed. */
  missedForKill: number;
};

/**
 * Dovecot counts as not responding after 15 s at the latest. It is killed only after 40 s, because that
 * ends every session and a loaded machine responds late.
 */
export const PROBE_LIMITS: ProbeLimits = {
  everyMs: 5_000,
  retryMs: 1_500,
  answerWithinMs: 4_000,
  missedForSilent: 2,
  missedForKill: 7,
};

export type HealthWatch = { isAnswering(): boolean; stop(): void };

/**
 * Keeps probing what mail apps and deliveries need: a greeting over LMTP and IMAP, and a user lookup, which
 * exercises process creation and Dovecot's authentication.
 *
 * @param pid of the master process; null while it isn't running, which counts as a failed probe
 * @param hasDatabase whether the database answers. Without it user lookups fail, which a restart wouldn't help
 * @param onSilent called when one master process failed too many probes in a row while the database answers
 */
export function watchHealth(
  settings: DovecotSettings,
  {
    pid,
    hasDatabase,
    onSilent,
    patience,
  }: {
    pid: () => number | null;
    hasDatabase: () => Promise<boolean>;
    onSilent: () => void;
    patience: ProbeLimits;
  },
): HealthWatch {
  let missed = 0;
  let missedByThisOne = 0;
  const isStillRunning = (asked: number | null) => asked !== null && asked === pid();
  const pauseMs = () => (missed > 0 ? patience.retryMs : null) ?? patience.everyMs;
  const probe = async (signal: AbortSignal) => {
    const isOver = () => signal.aborted;
    const asked = pid();
    const answered = asked !== null && (await answers(settings, patience.answerWithinMs));
    if (isOver()) return 0;
    missed = answered ? 0 : missed + 1;
    // A Dovecot that was just restarted gets the full time.
    missedByThisOne = !answered && isStillRunning(asked) ? missedByThisOne + 1 : 0;
    if (missedByThisOne < patience.missedForKill) return pauseMs();
    missedByThisOne = 0;
    if ((await hasDatabase()) && !isOver() && isStillRunning(asked)) onSilent();
    return pauseMs();
  };
  const watching = runLoop(probe, { pauseMs: patience.everyMs, ref: false });
  return {
    isAnswering: () => missed < patience.missedForSilent,
    stop: () => void watching.stop(),
  };
}

async function answers(
  { dataFolder, bind, ports }: DovecotSettings,
  withinMs: number,
): Promise<boolean> {
  const tooLate = new AbortController();
  const late = wait(withinMs, false, { signal: tooLate.signal, ref: false }).catch(() => false);
  const all = Promise.all([
    readGreeting({ path: lmtpSocketPath(dataFolder) }, withinMs),
    readGreeting({ host: connectAddress(bind), port: ports.imap }, withinMs),
    dovecotAdmin(dataFolder).lookUpUnknownUser(),
  ]).then(
    ([lmtp, imap]) => lmtp.kind === "greeted" && imap.kind === "greeted",
    () => false,
  );
  try {
    return await Promise.race([all, late]);
  } finally {
    tooLate.abort();
  }
}
