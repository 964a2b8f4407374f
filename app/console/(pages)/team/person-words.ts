import type { Meaning } from "#app/console/ui/status.tsx";

import type { PersonRow, Through } from "./queries.ts";

type Named = { email: string; name: string };

export const nameOf = ({ name, email }: Named): string => name || email;

/** What stands before the @, for who has no name yet and whose address stands beside it. */
export const mailboxNameOf = ({ email }: Named): string => email.slice(0, email.lastIndexOf("@"));

type State = { meaning: Meaning; word: string };

export const stateOf = ({ is_disabled }: Pick<PersonRow, "is_disabled">): State =>
  is_disabled ? { meaning: "waiting", word: "Switched off" } : { meaning: "done", word: "Active" };

/** The same where there is no more room than for one word. */
export const stateInListOf = (
  person: Pick<PersonRow, "is_disabled" | "is_address_confirmed">,
): State =>
  person.is_disabled || person.is_address_confirmed
    ? stateOf(person)
    : { meaning: "waiting", word: "Unconfirmed" };

/** "Owner", "Helpdesk, Auditor +1", "No rights" */
export function rightsInShort(person: PersonRow): string {
  if (person.is_owner) return "Owner";
  const names = person.roles.map(({ name }) => name);
  const direct = person.direct_privileges.length;
  if (direct > 0) names.push(direct === 1 ? "1 direct grant" : `${direct} direct grants`);
  return names.join(", ") || "No rights";
}

/** Through what a privilege is held: "Role Helpdesk, only in Sales and below". */
export function throughInWords(source: Through): string {
  if (source.kind === "owner") return "Owner of the company";
  if (source.kind === "direct") return "Given directly";
  const { name, unit } = source.role;
  return unit ? `Role ${name}, only in ${unit.name} and below` : `Role ${name}`;
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
