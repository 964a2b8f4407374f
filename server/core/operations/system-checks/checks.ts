import { sql } from "drizzle-orm";

import type { Config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import { failed, type Finding, joined, ok, unknown } from "./finding.ts";
import { lookAtClock } from "./look-at-clock.ts";
import { lookAtBlocks } from "./look-at-delivery.ts";
import { lookAtDns } from "./look-at-dns.ts";
import { lookAtKeys } from "./look-at-keys.ts";
import { lookAtCertificate, lookAtDisk } from "./look-at-machine.ts";
import { lookAtNotices } from "./look-at-notices.ts";
import { lookAtPortIn } from "./look-at-port-in.ts";
import { lookAtPortOut } from "./look-at-port-out.ts";
import { lookAtMail, lookAtWorker } from "./look-at-processes.ts";
import { lookAtReverseDns } from "./look-at-reverse-dns.ts";
import { lookAtSpam } from "./look-at-spam.ts";

const PART = "Postgres";

type Facts = { version: string; fsync: string; commits: string; mb: number };

/** What checks look with. */
export type Surroundings = { db: Db; config: Config; resolver: Resolver };

type Look = (around: Surroundings) => Promise<Finding>;

/** What operators see of the appliance's own state, in this order. None changes anything. */
const LOOKS = {
  port_out: ({ config, resolver }) => lookAtPortOut(config, resolver),
  port_in: ({ config, resolver }) => lookAtPortIn(config, resolver),
  reverse_dns: ({ config, resolver }) => lookAtReverseDns(config, resolver),
  certificate: ({ config }) => lookAtCertificate(config, new Date()),
  dns: async ({ db, config, resolver }) => lookAtDns(config, resolver, await blocklists(db)),
  notices: async ({ db, config, resolver }) =>
    joined("notices", await lookAtNotices(db, config, resolver)),
  mail: async ({ config }) => joined("mail", await lookAtMail(config)),
  delivery: async ({ db }) => joined("delivery", [await lookAtWorker(db), await lookAtBlocks(db)]),
  spam: ({ db }) => lookAtSpam(db),
  database: ({ db }) => lookAtDatabase(db),
  keys: ({ db }) => lookAtKeys(db),
  disk: ({ config }) => lookAtDisk(config),
  clock: ({ db, resolver }) => lookAtClock(db, resolver),
} satisfies Record<string, Look>;

export type CheckName = keyof typeof LOOKS;

// The keys of LOOKS are its own.
export const CHECK_NAMES = Object.keys(LOOKS) as [CheckName, ...CheckName[]];

/** Longer than any probe's own patience. */
const CHECK_TIMEOUT_MS = 25_000;

/** One check. It takes 25 s at most and never fails: what keeps it from looking is what was found. */
export async function runCheck(name: CheckName, around: Surroundings): Promise<Finding> {
  const look: Look = LOOKS[name];
  const over = Promise.withResolvers<Finding>();
  const timer = setTimeout(
    () => over.resolve(unknown(name, "The check timed out", "Run the check again later")),
    CHECK_TIMEOUT_MS,
  );
  try {
    return await Promise.race([look(around), over.promise]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return unknown(name, `Couldn't run the check: ${reason}`, "Run the check again later");
  } finally {
    clearTimeout(timer);
  }
}

/** The DNS blocklists that are asked about senders. */
export async function blocklists(db: Db): Promise<string[]> {
  const { dnsbl_zones: zones } = await readSettings(db);
  return zones === "none" ? [] : zones.split(",");
}

/** Whether Postgres answers and keeps what it says it has kept. */
async function lookAtDatabase(db: Db): Promise<Finding> {
  const [row] = await db.execute<Facts>(sql`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commits,
      round(pg_database_size(current_database()) / 1048576.0)::int as mb`);
  const { version, fsync, commits, mb } = row!;
  const found = `Postgres ${version.split(" ")[0]!} is running with ${mb} MB of data`;
  const off = fsync === "off" ? "fsync" : commits === "off" ? "synchronous_commit" : null;
  if (!off) return ok(PART, found);
  return failed(
    PART,
    `${found}, but ${off} is off`,
    `Turn ${off} on. Otherwise a power failure can lose mail`,
  );
}
