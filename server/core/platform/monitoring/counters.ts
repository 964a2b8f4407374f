import { sql } from "drizzle-orm";

import { metricTotals } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const MINUTES = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

/**
 * Everything that processes count, by the name that `/metrics` shows it under. Never use an address, a domain
 * or an ID as a label: each value is a time series that is kept forever.
 */
export const COUNTED = {
  posthouse_deliveries_total: {
    kind: "counter",
    help: "Completed delivery attempts, by recipient: emails of the API and messages, by the mail operator of the recipient",
  },
  posthouse_delivery_attempt_seconds: {
    kind: "histogram",
    help: "Duration of delivery attempts",
    buckets: SECONDS,
  },
  posthouse_delivery_latency_seconds: {
    kind: "histogram",
    help: "Time from accepting an email to its delivery",
    buckets: MINUTES,
  },
  posthouse_webhook_attempts_total: {
    kind: "counter",
    help: "Attempts to deliver webhook events",
  },
  posthouse_webhook_attempt_seconds: {
    kind: "histogram",
    help: "Duration of attempts to deliver webhook events",
    buckets: SECONDS,
  },
  posthouse_smtp_replies_total: {
    kind: "counter",
    help: "Replies of the SMTP listeners as in the mail log: one per recipient, or per client that got no further",
  },
  posthouse_sign_ins_total: {
    kind: "counter",
    help: "Sign-ins of mail apps, mailbox users and admins, by service and result",
  },
  posthouse_http_requests_total: {
    kind: "counter",
    help: "HTTP requests answered",
  },
  posthouse_http_request_seconds: {
    kind: "histogram",
    help: "Time to answer HTTP requests",
    buckets: SECONDS,
  },
  posthouse_process_starts_total: {
    kind: "counter",
    help: "Starts of processes, including restarts",
  },
} as const satisfies Record<string, Counted>;

type Counted =
  { kind: "counter"; help: string } | { kind: "histogram"; help: string; buckets: number[] };

export type CountedName = keyof typeof COUNTED;
type NameOf<Kind> = {
  [Name in CountedName]: (typeof COUNTED)[Name]["kind"] extends Kind ? Name : never;
}[CountedName];

export type Labels = Record<string, string>;

const logger = createLogger("metrics");

/** What was counted since the last flush, by name and labels. */
let pending = new Map<string, { name: string; labels: string; value: number }>();
let isFailing = false;

/** Counts in memory; `flushCounters` adds it to the totals of all processes. */
export function count(name: NameOf<"counter">, labels: Labels = {}, by = 1): void {
  add(name, labels, by);
}

/** Adds a duration to a histogram. */
export function observe(name: NameOf<"histogram">, labels: Labels, seconds: number): void {
  const bucket = COUNTED[name].buckets.find((bound) => seconds <= bound);
  add(`${name}_bucket`, { ...labels, le: bucket === undefined ? "+Inf" : String(bucket) }, 1);
  add(`${name}_sum`, labels, seconds);
}

function add(name: string, labels: Labels, by: number): void {
  const text = JSON.stringify(labels, Object.keys(labels).toSorted());
  const key = `${name} ${text}`;
  const known = pending.get(key);
  if (known) known.value += by;
  else pending.set(key, { name, labels: text, value: by });
}

/**
 * Adds what this process has counted to the totals in the database, which all processes share and which outlive
 * them. Never fails: what can't be written is written with the next flush.
 */
export async function flushCounters(db: Db): Promise<void> {
  if (pending.size === 0) return;
  const taken = pending;
  pending = new Map();
  // In one order, so that processes that flush at once don't deadlock.
  const rows = [...taken.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  try {
    await db.execute(sql`
      insert into ${metricTotals} as known (name, labels, value)
      select name, labels, value from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as counted(name text, labels text, value float8)
      on conflict (name, labels) do update set value = known.value + excluded.value`);
    isFailing = false;
  } catch (err) {
    for (const { name, labels, value } of rows) add(name, JSON.parse(labels) as Labels, value);
    if (!isFailing) logger.warn({ err }, "failed to store metrics; retrying");
    isFailing = true;
  }
}
