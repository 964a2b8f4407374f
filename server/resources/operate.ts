import { existsSync } from "node:fs";

import { z } from "zod";

import { config, VARIABLES } from "#server/config.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { listRaisedAlarms } from "#server/core/operations/alarms/alarms.ts";
import { applianceContext, type Operator } from "#server/core/operations/companies/operators.ts";
import { getSystemFacts } from "#server/core/operations/companies/system-facts.ts";
import { erasePerson } from "#server/core/operations/erasure/erase-person.ts";
import { listChecks, startChecks } from "#server/core/operations/system-checks/run-checks.ts";
import {
  findMissingRecords,
  previewHostname,
  recordSources,
} from "#server/core/operations/system-checks/server-records.ts";
import { listTableSizes } from "#server/core/operations/monitoring/database-families.ts";
import { type ListedProcess, listProcesses } from "#server/core/platform/processes/processes.ts";
import { readSearchTotals } from "#server/core/platform/processes/search-facts.ts";
import { listWarmUps, WARM_UP_DAYS } from "#server/core/sending/warm-up/warm-up.ts";
import type { Context } from "#server/core/shared/context.ts";
import { operatorChange, operatorRead, pageEndpoints } from "#server/http/endpoint.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

/** The operator who calls an endpoint, independent of the company they are signed in to. */
export const currentOperator = ({
  ctx: { db, now },
  signedIn: { email },
}: {
  ctx: Context;
  signedIn: Pick<SignedIn, "email">;
}): Operator => ({ db, now, email });

const TABLES_SHOWN = 8;

function shownProcess({ facts, ...row }: ListedProcess) {
  const { id, role, host, pid, version } = row;
  return {
    id,
    role,
    host,
    pid,
    version,
    node: facts.node,
    rssBytes: facts.rssBytes,
    loopDelayP99Ms: facts.loopDelayP99Ms,
    loopDelayMaxMs: facts.loopDelayMaxMs,
    startedAt: consoleTimestamp(row.startedAt),
    heardAt: consoleTimestamp(row.heardAt),
    isAlive: row.isAlive,
  };
}

/** Older results are refreshed when the page opens. */
const FRESH_SECONDS = 600;

async function shownChecks({ db }: Pick<Context, "db">) {
  const checks = await listChecks(db);
  return {
    data: checks.map((check) => ({
      ...check,
      checkedAt: check.checkedAt && consoleTimestamp(check.checkedAt),
    })),
  };
}

/** Docker creates it in each container. */
const CONTAINER_MARK = "/.dockerenv";

const Hostname = z
  .string()
  .max(253)
  .transform((text) => VARIABLES.POSTHOUSE_HOSTNAME.read(text.trim()))
  .refine((name) => name !== null, { error: VARIABLES.POSTHOUSE_HOSTNAME.expected });

/** The state of the server, and actions for operators. */
export const operateConsole = pageEndpoints("console", "operate", {
  getHealth: operatorRead({
    async handle({ ctx }) {
      const [facts, processes, alarms, tables, warmUps, search] = await Promise.all([
        getSystemFacts(ctx.db),
        listProcesses(ctx.db),
        listRaisedAlarms(ctx.db),
        listTableSizes(ctx.db),
        listWarmUps(ctx.db),
        readSearchTotals(ctx.db),
      ]);
      const { database, disk, queue, jobs, certificate } = facts;
      return {
        version: softwareVersion(),
        alarms: alarms.map(({ name, severity, found, advice, raisedAt }) => ({
          name,
          severity,
          found,
          advice,
          raisedAt: consoleTimestamp(raisedAt),
        })),
        processes: processes.map(shownProcess),
        warmUps: warmUps.map(({ subject, provider, day, used, quota }) => ({
          from: subject === "server" ? null : subject.replace(/^\S+ /, ""),
          provider,
          day,
          days: WARM_UP_DAYS,
          used,
          quota,
        })),
        database: {
          version: database.version,
          sizeBytes: database.sizeBytes,
          connections: database.connections,
          connectionsMax: database.connectionsMax,
          oldestTransactionSeconds: database.oldestTransactionSeconds,
          tables: tables.slice(0, TABLES_SHOWN).map(({ table: name, bytes }) => ({ name, bytes })),
        },
        disk: { freeBytes: disk.freeBytes, totalBytes: disk.totalBytes },
        queue: { waiting: queue.waiting, due: queue.due, oldestDueSeconds: queue.oldestDueSeconds },
        webhooksDue: facts.webhooksDue,
        jobs: {
          waiting: jobs.waiting,
          failing: jobs.failing.map(({ runAt, ...job }) => ({
            ...job,
            runAt: consoleTimestamp(runAt),
          })),
        },
        dovecot: facts.dovecot,
        rspamd: facts.rspamd,
        search: { mailboxes: search.mailboxes, indexed: search.indexed, bytes: search.bytes },
        certificate: certificate && {
          validUntil: certificate.validUntil,
          issuer: certificate.issuer,
          isSelfSigned: certificate.isSelfSigned,
        },
      };
    },
  }),

  getGoLive: operatorRead({
    query: z.object({ hostname: Hostname.optional() }),
    async handle({ ctx: { db }, query: { hostname } }) {
      const { localMode: isLocal, dataFolder } = config();
      const sources = await recordSources(config());
      const preview = isLocal && hostname ? await previewHostname(db, hostname, sources) : null;
      return {
        isLocal,
        hostname: isLocal ? (hostname ?? null) : config().hostname,
        dataFolder,
        isContainer: existsSync(CONTAINER_MARK),
        records: preview?.records ?? (isLocal ? [] : await findMissingRecords(db, sources)),
        // On a server, `listChecks` has them.
        checks: preview?.checks ?? [],
      };
    },
  }),

  listChecks: operatorRead({
    handle: async ({ ctx }) => {
      await startChecks(ctx.db, { olderThanSeconds: FRESH_SECONDS });
      return shownChecks(ctx);
    },
  }),

  runChecks: operatorChange({
    handle: async ({ ctx }) => {
      await startChecks(ctx.db);
      return shownChecks(ctx);
    },
  }),

  erasePerson: operatorChange({
    body: z.object({
      address: z.string().max(320),
      keepSuppressions: z.boolean().default(true),
    }),
    async handle(call) {
      const ctx = await applianceContext(currentOperator(call));
      const { address, keepSuppressions: keepsSuppressions } = call.body;
      return erasePerson(ctx, { address, keepsSuppressions });
    },
  }),
});
