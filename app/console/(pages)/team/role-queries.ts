import { useMutation } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

import { useInvalidateTeam } from "./queries.ts";

const REFRESH_MS = 10_000;

export type Roles = AnswerOf<"roles.list">;
export type RoleRow = Roles["data"][number];
export type RoleFields = { name: string; privileges: string[]; unitId: number | null };

export const roleFields = ({ name, privileges, unit }: RoleRow): RoleFields => ({
  name,
  privileges,
  unitId: unit?.id ?? null,
});

export const rolesQuery = queryOf("roles.list", {}, { refetchInterval: REFRESH_MS });

export function useCreateRole() {
  const onSuccess = useInvalidateTeam();
  return useMutation({
    mutationFn: (body: RoleFields) => change("roles.create", { body }),
    onSuccess,
  });
}

export function useUpdateRole(id: string) {
  const onSettled = useInvalidateTeam();
  return useMutation({
    mutationFn: (body: RoleFields & { expected: RoleFields }) =>
      change("roles.update", { params: { id }, body }),
    onSettled,
  });
}

export function useDeleteRole(id: string) {
  const onSuccess = useInvalidateTeam();
  return useMutation({
    mutationFn: () => change("roles.delete", { params: { id } }),
    onSuccess,
  });
}
