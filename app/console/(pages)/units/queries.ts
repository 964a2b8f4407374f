import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { createUnit } from "#server/console/units/create-unit.ts";
import type { deleteUnit } from "#server/console/units/delete-unit.ts";
import type { getUnit } from "#server/console/units/get-unit.ts";
import type { listUnits } from "#server/console/units/list-units.ts";
import type { updateUnit } from "#server/console/units/update-unit.ts";

import type { PolicyName, PolicyValue } from "./policy-labels.ts";

const REFRESH_MS = 15_000;

export type Units = Answer<typeof listUnits>;
export type UnitRow = Units["data"][number];
export type UnitDetail = Answer<typeof getUnit>;
export type UnitPolicy = UnitDetail["policies"][number];

export const unitsQuery = queryOptions({
  queryKey: ["units"],
  queryFn: () => call<typeof listUnits>("GET", "/console/api/units", {}),
  refetchInterval: REFRESH_MS,
});

export const unitQuery = (id: number) =>
  queryOptions({
    queryKey: ["unit", id],
    queryFn: () =>
      call<typeof getUnit>("GET", "/console/api/units/{id}", { params: { id: String(id) } }),
    refetchInterval: REFRESH_MS,
  });

/** Any change can affect policies of other units and the units offered for mailboxes. */
function useRefreshUnits(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () => {
    for (const key of ["mailboxes", "mailbox", "mailbox options"])
      queryClient.removeQueries({ queryKey: [key] });
    return Promise.all(
      ["units", "unit"].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
    );
  };
}

export function useCreateUnit() {
  const onSuccess = useRefreshUnits();
  return useMutation({
    mutationFn: (body: { name: string; parent_id: number }) =>
      call<typeof createUnit>("POST", "/console/api/units", { body }),
    onSuccess,
  });
}

type Change = {
  name?: string;
  parent_id?: number;
  policies?: Partial<Record<PolicyName, PolicyValue>>;
};

export function useUpdateUnit(id: number) {
  const onSuccess = useRefreshUnits();
  return useMutation({
    mutationFn: (body: Change) =>
      call<typeof updateUnit>("PATCH", "/console/api/units/{id}", {
        params: { id: String(id) },
        body: body as Parameters<typeof call<typeof updateUnit>>[2]["body"],
      }),
    onSuccess,
  });
}

export function useDeleteUnit(id: number) {
  const refresh = useRefreshUnits();
  // Not awaited: the page must navigate away before the refreshed tree drops the unit.
  const onSuccess = () => void refresh();
  return useMutation({
    mutationFn: () =>
      call<typeof deleteUnit>("DELETE", "/console/api/units/{id}", { params: { id: String(id) } }),
    onSuccess,
  });
}
