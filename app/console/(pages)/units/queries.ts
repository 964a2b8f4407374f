import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change, type InputOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

import type { PolicyName, PolicyValue } from "./policy-labels.ts";

const REFRESH_MS = 15_000;

export type Units = AnswerOf<"units.list">;
export type UnitRow = Units["data"][number];
export type UnitDetail = AnswerOf<"units.get">;
export type UnitPolicy = UnitDetail["policies"][number];

export const unitsQuery = queryOf("units.list", {}, { refetchInterval: REFRESH_MS });

export const unitQuery = (id: number) =>
  queryOf("units.get", { params: { id: String(id) } }, { refetchInterval: REFRESH_MS });

/** Any change can affect policies of other units and the units offered for mailboxes. */
function useRefreshUnits(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () => {
    for (const noun of ["mailboxes", "mailboxAccess"])
      queryClient.removeQueries({ queryKey: [noun] });
    return queryClient.invalidateQueries({ queryKey: ["units"] });
  };
}

export function useCreateUnit() {
  const onSuccess = useRefreshUnits();
  return useMutation({
    mutationFn: (body: { name: string; parentId: number }) => change("units.create", { body }),
    onSuccess,
  });
}

type Change = {
  name?: string;
  parentId?: number;
  policies?: Partial<Record<PolicyName, PolicyValue>>;
};

export function useUpdateUnit(id: number) {
  const onSuccess = useRefreshUnits();
  return useMutation({
    mutationFn: (body: Change) =>
      change("units.update", {
        params: { id: String(id) },
        body: body as InputOf<"units.update">["body"],
      }),
    onSuccess,
  });
}

export function useDeleteUnit(id: number) {
  const refresh = useRefreshUnits();
  // Not awaited: the page must navigate away before the refreshed tree drops the unit.
  const onSuccess = () => void refresh();
  return useMutation({
    mutationFn: () => change("units.delete", { params: { id: String(id) } }),
    onSuccess,
  });
}
