import type { Meaning } from "#app/console/ui/status.tsx";

import type { PersonRow, Through } from "./queries.ts";

type Named = { email: string; name: string };

export const nameOf = ({ name, email }: Named): string => name || email;

export const stateOf = ({
  is_disabled,
}: Pick<PersonRow, "is_disabled">): {
  meaning: Meaning;
  word: string;
} =>
  is_disabled ? { meaning: "waiting", word: "Switched off" } : { meaning: "done", word: "Active" };

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
