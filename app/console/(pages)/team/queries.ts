import type { AnswerOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

export type AdminRow = AnswerOf<"team.list">["data"][number];
export type AdminDetail = AnswerOf<"team.get">;
export type PrivilegeSource = AdminDetail["effectivePrivileges"][number]["through"][number];
export type MailboxPrivilegesAnswer = AnswerOf<"team.getMailboxPrivileges">;
export type InvitationRow = AnswerOf<"invitations.list">["data"][number];
export type RoleList = AnswerOf<"roles.list">;
export type RoleRow = RoleList["data"][number];
export type RoleFields = { name: string; privileges: string[]; unitId: number | null };

export const roleFields = ({ name, privileges, unit }: RoleRow): RoleFields => ({
  name,
  privileges,
  unitId: unit?.id ?? null,
});

export const TEAM_SETTINGS = { refetchInterval: 10_000 };

/** A change on one of the team's pages can affect the others. Waits for the refetch, because the next change needs the new data. */
export const CHANGES_TEAM = { invalidates: ["team", "invitations", "roles"], waits: true } as const;

export const adminQuery = (id: string) => queryOf("team.get", { params: { id } }, TEAM_SETTINGS);
