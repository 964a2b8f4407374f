import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { clockOffset } from "#server/gateways/time-server.ts";

import { failed, type Finding, ok, unknown, warning } from "./finding.ts";

const PART = "clock";
const TIME_SERVER = "pool.ntp.org";
const ANSWER_TIMEOUT_MS = 3_000;
// Above this, logs of several machines can't be correlated.
const WARNING_MS = 2_000;
// Codes of authenticator apps change every 30 s. Signatures and certificates depend on the time too.
const FAILURE_MS = 30_000;

/**
 * Compares this machine's clock with Postgres and a public time server.
 *
 * @param port of the time server
 */
export async function checkClock(
  db: Db,
  dns: Pick<Resolver, "a">,
  { port = 123 }: { port?: number } = {},
): Promise<Finding> {
  const [database, offsetMs] = await Promise.all([databaseOffset(db), ntpOffset(dns, port)]);
  if (Math.abs(database) > WARNING_MS)
    return failed(
      PART,
      `The clocks of this machine and the database differ by ${formatDuration(database)}`,
      "Synchronize the clocks of both machines with NTP",
    );
  return compareWithTimeServer(offsetMs);
}

/**
 * Compares this machine's clock with a public time server.
 *
 * @param port of the time server
 */
export async function checkMachineClock(
  dns: Pick<Resolver, "a">,
  { port = 123 }: { port?: number } = {},
): Promise<Finding> {
  return compareWithTimeServer(await ntpOffset(dns, port));
}

/** @param offsetMs the time server's clock minus ours, in milliseconds; null if it didn't respond */
function compareWithTimeServer(offsetMs: number | null): Finding {
  if (offsetMs === null)
    return unknown(
      PART,
      "No time server responded",
      "Allow NTP (UDP port 123) through the firewall, or compare with a clock you trust",
      { command: "date -u" },
    );
  const found = `The clock is ${formatDuration(offsetMs)} ${offsetMs > 0 ? "behind" : "ahead of"} ${TIME_SERVER}`;
  const advice = "Turn on time synchronization: `timedatectl set-ntp true`";
  if (Math.abs(offsetMs) > FAILURE_MS) return failed(PART, found, advice);
  return Math.abs(offsetMs) > WARNING_MS
    ? warning(PART, found, advice)
    : ok(PART, `The clock is within ${formatDuration(offsetMs)} of ${TIME_SERVER}`);
}

/** How far the database's clock is ahead, in milliseconds. */
async function databaseOffset(db: Db): Promise<number> {
  const asked = Date.now();
  const [row] = await db.execute<{ now: number }>(
    sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
  );
  return row!.now - (asked + Date.now()) / 2;
}

/** How far the time server is ahead of us, in milliseconds; null if it doesn't respond. */
async function ntpOffset(dns: Pick<Resolver, "a">, port: number): Promise<number | null> {
  const found = await dns.a(TIME_SERVER);
  if (found.kind !== "found") return null;
  return clockOffset({ address: found.records[0]!, port }, ANSWER_TIMEOUT_MS).catch(() => null);
}

function formatDuration(ms: number): string {
  const seconds = Math.abs(ms) / 1_000;
  if (seconds < 1) return `${Math.max(1, Math.round(Math.abs(ms)))} ms`;
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
