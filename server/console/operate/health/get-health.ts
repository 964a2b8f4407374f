import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { listRaisedAlarms } from "#server/core/operations/alarms/alarms.ts";
import { listTableSizes } from "#server/core/operations/monitoring/database-families.ts";
import { getSystemFacts } from "#server/core/operations/companies/system-facts.ts";
import {
  type ListedProcess,
  listProcesses,
} from "#server/core/platform/processes/list-processes.ts";
import { softwareVersion } from "#server/processes/software-version.ts";
import { listWarmUps } from "#server/core/sending/warm-up/list-warm-ups.ts";
import { WARM_UP_DAYS } from "#server/core/sending/warm-up/ramp.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const TABLES_SHOWN = 8;

const count = z.number();
const Process = z.object({
  id: z.uuid(),
  role: z.enum(["web", "worker", "mail"]),
  host: z.string(),
  pid: count,
  version: z.string(),
  node: z.string(),
  rss_bytes: count,
  loop_delay_p99_ms: count,
  loop_delay_max_ms: count,
  started_at: z.string(),
  heard_at: z.string(),
  is_alive: z.boolean(),
});

export const getHealth = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/health",
  summary: "Retrieve the health of the instance",
  permission: "operator",
  privilege: null,
  response: z.object({
    version: z.string(),
    alarms: z.array(
      z.object({
        name: z.string(),
        severity: z.enum(["warning", "critical"]),
        found: z.string(),
        advice: z.string(),
        raised_at: z.string(),
      }),
    ),
    processes: z.array(Process),
    warm_ups: z.array(
      z.object({
        from: z
          .string()
          .nullable()
          .describe("A name or domain that mail is sent from; null for the server"),
        provider: z.string().describe("`other` for all mail servers of unknown providers"),
        ...{ day: count, days: count, used: count, quota: count },
      }),
    ),
    database: z.object({
      version: z.string(),
      size_bytes: count,
      connections: count,
      connections_max: count,
      oldest_transaction_seconds: count.nullable(),
      tables: z.array(z.object({ name: z.string(), bytes: count })).describe("The largest ones"),
    }),
    disk: z.object({ free_bytes: count, total_bytes: count }),
    queue: z.object({ waiting: count, due: count, oldest_due_seconds: count.nullable() }),
    webhooks_due: count,
    jobs: z.object({
      waiting: count,
      failing: z.array(
        z.object({ task: z.string(), attempts: count, error: z.string(), run_at: z.string() }),
      ),
    }),
    dovecot: z
      .object({ sessions: count, accounts: count })
      .nullable()
      .describe("Null while Dovecot does not respond"),
    rspamd: z.string().nullable(),
    certificate: z
      .object({ valid_until: z.string(), issuer: z.string(), is_self_signed: z.boolean() })
      .nullable(),
  }),
  refusals: [],
  async handle({ ctx }) {
    const [facts, processes, alarms, tables, warmUps] = await Promise.all([
      getSystemFacts(ctx.db),
      listProcesses(ctx.db),
      listRaisedAlarms(ctx.db),
      listTableSizes(ctx.db),
      listWarmUps(ctx.db),
    ]);
    const { database, disk, queue, jobs, certificate } = facts;
    return {
      version: softwareVersion(),
      alarms: alarms.map(({ name, severity, found, advice, raisedAt }) => ({
        ...{ name, severity, found, advice, raised_at: consoleTimestamp(raisedAt) },
      })),
      processes: processes.map(processRow),
      warm_ups: warmUps.map(({ subject, provider, day, used, quota }) => ({
        from: subject === "server" ? null : subject.replace(/^\S+ /, ""),
        ...{ provider, day, days: WARM_UP_DAYS, used, quota },
      })),
      database: {
        ...{ version: database.version, size_bytes: database.sizeBytes },
        connections: database.connections,
        connections_max: database.connectionsMax,
        oldest_transaction_seconds: database.oldestTransactionSeconds,
        tables: tables.slice(0, TABLES_SHOWN).map(({ table: name, bytes }) => ({ name, bytes })),
      },
      disk: { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
      queue: { waiting: queue.waiting, due: queue.due, oldest_due_seconds: queue.oldestDueSeconds },
      webhooks_due: facts.webhooksDue,
      jobs: {
        waiting: jobs.waiting,
        failing: jobs.failing.map(({ runAt, ...job }) => ({
          ...job,
          run_at: consoleTimestamp(runAt),
        })),
      },
      ...{ dovecot: facts.dovecot, rspamd: facts.rspamd },
      certificate: certificate && {
        ...{ valid_until: certificate.validUntil, issuer: certificate.issuer },
        is_self_signed: certificate.isSelfSigned,
      },
    };
  },
});

function processRow({ facts, ...row }: ListedProcess): z.input<typeof Process> {
  const { id, role, host, pid, version } = row;
  return {
    ...{ id, role, host, pid, version, node: facts.node, rss_bytes: facts.rssBytes },
    ...{ loop_delay_p99_ms: facts.loopDelayP99Ms, loop_delay_max_ms: facts.loopDelayMaxMs },
    started_at: consoleTimestamp(row.startedAt),
    heard_at: consoleTimestamp(row.heardAt),
    is_alive: row.isAlive,
  };
}
