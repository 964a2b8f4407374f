import { queryOptions, useMutation } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { createRole } from "#server/console/roles/create-role.ts";
import type { deleteRole } from "#server/console/roles/delete-role.ts";
import type { listRoles } from "#server/console/roles/list-roles.ts";
import type { updateRole } from "#server/console/roles/update-role.ts";

import { useInvalidateTeam } from "./queries.ts";

const REFRESH_MS = 10_000;

export type Roles = Answer<typeof listRoles>;
export type RoleRow = Roles["data"][number];
export type RoleFields = { name: string; privileges: string[]; unit_id: number | null };

export const roleFields = ({ name, privileges, unit }: RoleRow): RoleFields => ({
  ...{ name, privileges },
  unit_id: unit?.id ?? null,
});

export const rolesQuery = queryOptions({
  queryKey: ["team", "roles"],
  queryFn: () => call<typeof listRoles>("GET", "/console/api/roles", {}),
  refetchInterval: REFRESH_MS,
});

export function useCreateRole() {
  const onSuccess = useInvalidateTeam();
  return useMutation({
    mutationFn: (body: RoleFields) =>
      call<typeof createRole>("POST", "/console/api/roles", { body }),
    onSuccess,
  });
}

export function useUpdateRole(id: string) {
  const onSettled = useInvalidateTeam();
  return useMutation({
    mutationFn: (body: RoleFields & { expected: RoleFields }) =>
      call<typeof updateRole>("PATCH", "/console/api/roles/{id}", { params: { id }, body }),
    onSettled,
  });
}

export function useDeleteRole(id: string) {
  const onSuccess = useInvalidateTeam();
  return useMutation({
    mutationFn: () =>
      call<typeof deleteRole>("DELETE", "/console/api/roles/{id}", { params: { id } }),
    onSuccess,
  });
}
