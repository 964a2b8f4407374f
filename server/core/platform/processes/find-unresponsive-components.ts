import { hostname } from "node:os";

import { sql } from "drizzle-orm";

import type { Role } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

/** A component of the appliance on this host. */
export type UnresponsiveComponent = "web" | "worker" | "mail" | "Dovecot" | "delivery";

/** The component that `isServing` in a process's heartbeat stands for. */
const INNER_COMPONENTS: Partial<Record<Role, UnresponsiveComponent>> = {
  mail: "Dovecot",
  worker: "delivery",
};

/**
 * Lists the components of these roles on this host that don't respond: processes without a heartbeat for 15
 * s, Dovecot if the mail process can't reach it, and delivery if a loop of the worker hangs.
 */
export async function findUnresponsiveComponents(
  db: Db,
  roles: ReadonlySet<Role>,
): Promise<UnresponsiveComponent[]> {
  const rows = await db.execute<{ role: Role; isServing: boolean }>(sql`
    select role, bool_or(coalesce((facts ->> 'isServing')::boolean, true)) as "isServing"
    from processes where host = ${hostname()} and alive_until > clock_timestamp()
    group by role`);
  const alive = new Map(rows.map(({ role, isServing }) => [role, isServing]));
  return [...roles].flatMap((role): UnresponsiveComponent[] => {
    if (!alive.has(role)) return [role];
    const inner = INNER_COMPONENTS[role];
    return inner && !alive.get(role) ? [inner] : [];
  });
}
