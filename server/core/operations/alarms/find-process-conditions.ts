import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import type { Condition } from "./condition.ts";

/** Heartbeats count for 15 s, so this is a minute without one. */
const SILENT_SECONDS = 45;
const INNER_SECONDS = 60;
/** A crash loop: this many starts of a role beyond one for each process, within the window. */
const EXTRA_STARTS = 3;
const STARTS_WINDOW_MS = 600_000;

/** How often processes of each role have started, at a time in milliseconds since 1970. */
export type StartsSample = { at: number; starts: Record<string, number> };

type Silent = { role: string; host: string; seconds: number };
type Inner = { role: string; host: string };

/** Processes without a heartbeat, parts of them that don't respond, and crash loops. */
export async function findProcessConditions(
  db: Db,
  { samples, nowMs }: { samples: StartsSample[]; nowMs: number },
): Promise<{ conditions: Condition[]; samples: StartsSample[] }> {
  const [silent, inner, starts, live] = await Promise.all([
    findSilent(db),
    findUnresponsiveInside(db),
    countStarts(db),
    countLive(db),
  ]);
  const kept = [
    ...samples.filter(({ at }) => at > nowMs - STARTS_WINDOW_MS),
    { at: nowMs, starts },
  ];
  const conditions = [
    ...silent.map(silentProcess),
    ...inner.map(unresponsivePart),
    ...findCrashLoops(kept, live),
  ];
  return { conditions, samples: kept };
}

const silentProcess = ({ role, host, seconds }: Silent): Condition => ({
  name: `process:${role}@${host}`,
  severity: "critical",
  found: `The ${role} process on ${host} hasn't responded for ${seconds} seconds`,
  advice: `Posthouse restarts it. If it stays down, see logs/${role}.log on ${host}`,
});

function unresponsivePart({ role, host }: Inner): Condition {
  const part = role === "mail" ? "Dovecot" : "The delivery loop";
  return {
    name: `part:${role}@${host}`,
    severity: "critical",
    found: `${part} on ${host} doesn't respond`,
    advice: `See logs/${role}.log on ${host}`,
    afterSeconds: INNER_SECONDS,
  };
}

/** Compares with the oldest sample of the window. Counters that started over give no result. */
export function findCrashLoops(samples: StartsSample[], live: Record<string, number>): Condition[] {
  const first = samples[0]!.starts;
  const last = samples.at(-1)!.starts;
  return Object.entries(last).flatMap(([role, total]): Condition[] => {
    // A role without an earlier sample has just been started for the first time.
    const starts = total - (first[role] ?? total);
    if (starts < EXTRA_STARTS + (live[role] ?? 0)) return [];
    return [
      {
        name: `crash_loop:${role}`,
        severity: "critical",
        found: `The ${role} process started ${starts} times within 10 minutes`,
        advice: `It exits soon after each start. See logs/${role}.log for the reason`,
      },
    ];
  });
}

/** The newest process of each role and host, if it stopped without notice and nothing took its place. */
function findSilent(db: Db): Promise<Silent[]> {
  return db.execute<Silent>(sql`
    select role, host,
      round(extract(epoch from statement_timestamp() - max(alive_until)) + 15)::int as seconds
    from processes group by role, host
    having max(alive_until) < statement_timestamp() - make_interval(secs => ${SILENT_SECONDS})`);
}

function findUnresponsiveInside(db: Db): Promise<Inner[]> {
  return db.execute<Inner>(sql`
    select role, host from processes where alive_until > statement_timestamp()
    group by role, host having not bool_or(coalesce((facts ->> 'isServing')::boolean, true))`);
}

async function countStarts(db: Db): Promise<Record<string, number>> {
  const rows = await db.execute<{ role: string; starts: number }>(sql`
    select labels::jsonb ->> 'role' as role, value as starts from metric_totals
    where name = 'posthouse_process_starts_total'`);
  return Object.fromEntries(rows.map(({ role, starts }) => [role, starts]));
}

async function countLive(db: Db): Promise<Record<string, number>> {
  const rows = await db.execute<{ role: string; live: number }>(sql`
    select role, count(*)::int as live from processes
    where alive_until > statement_timestamp() group by role`);
  return Object.fromEntries(rows.map(({ role, live }) => [role, live]));
}
