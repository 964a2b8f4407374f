import type { Group } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { expandMembers } from "./internal/expand-members.ts";
import { findOwners } from "./internal/find-owners.ts";

/** Addresses of a group's moderators with a mailbox here, or of the company's owners if it has none. */
export async function findModerators(
  db: Db,
  { companyId, moderators }: Pick<Group, "companyId" | "moderators">,
): Promise<string[]> {
  const { here } = await expandMembers({ db, companyId }, moderators);
  if (here.size > 0) return [...here.values()];
  const owners = await expandMembers({ db, companyId }, await findOwners({ db, companyId }));
  return [...owners.here.values(), ...owners.outside];
}
