import { hostname } from "node:os";

import { sql } from "drizzle-orm";

import type { Role } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

/** A part of this machine's appliance that does not respond. */
export type SilentPart = "web" | "worker" | "mail" | "Dovecot" | "delivery";

/** The part inside a process that `isServing` in its heartbeat stands for. */
const INNER_PARTS: Partial<Record<Role, SilentPart>> = { mail: "Dovecot", worker: "delivery" };

/**
 * The parts of these roles on this machine that do not respond: processes whose heartbeat in the
 * database is 15 s old, Dovecot when the mail process can't reach it, and delivery when a loop of the worker
 * hangs.
 */
export async function silentParts(db: Db, roles: ReadonlySet<Role>): Promise<SilentPart[]> {
  const rows = await db.execute<{ role: Role; isServing: boolean }>(sql`
    select role, bool_or(coalesce((facts ->> 'isServing')::boolean, true)) as "isServing"
    from processes where host = ${hostname()} and alive_until > clock_timestamp()
    group by role`);
  const alive = new Map(rows.map(({ role, isServing }) => [role, isServing]));
  return [...roles].flatMap((role): SilentPart[] => {
    if (!alive.has(role)) return [role];
    const inner = INNER_PARTS[role];
    return inner && !alive.get(role) ? [inner] : [];
  });
}
