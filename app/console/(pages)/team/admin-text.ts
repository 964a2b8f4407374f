import type { Meaning } from "#app/console/ui/status.tsx";

import type { AdminRow, PrivilegeSource } from "./queries.ts";

type Named = { email: string; name: string };

export const displayName = ({ name, email }: Named): string => name || email;

/** What stands before the @, for who has no name yet and whose address stands beside it. */
export const localPart = ({ email }: Named): string => email.slice(0, email.lastIndexOf("@"));

type AccessStatus = { meaning: Meaning; word: string };

export const accessStatus = ({ is_disabled }: Pick<AdminRow, "is_disabled">): AccessStatus =>
  is_disabled ? { meaning: "waiting", word: "Switched off" } : { meaning: "done", word: "Active" };

/** The same where there is no more room than for one word. */
export const listStatus = (
  person: Pick<AdminRow, "is_disabled" | "is_address_confirmed">,
): AccessStatus =>
  person.is_disabled || person.is_address_confirmed
    ? accessStatus(person)
    : { meaning: "waiting", word: "Unconfirmed" };

/** "Owner", "Helpdesk, Auditor +1", "No rights" */
export function roleSummary(person: AdminRow): string {
  if (person.is_owner) return "Owner";
  const names = person.roles.map(({ name }) => name);
  const direct = person.direct_privileges.length;
  if (direct > 0) names.push(direct === 1 ? "1 direct grant" : `${direct} direct grants`);
  return names.join(", ") || "No rights";
}

/** Through what a privilege is held: "Role Helpdesk, only in Sales and below". */
export function formatSource(source: PrivilegeSource): string {
  if (source.kind === "owner") return "Owner of the company";
  if (source.kind === "direct") return "Given directly";
  const { name, unit } = source.role;
  return unit ? `Role ${name}, only in ${unit.name} and below` : `Role ${name}`;
}

export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
