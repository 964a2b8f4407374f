import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import type { PlanLimits } from "#app/console/(pages)/operate/plan-limits.tsx";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 25;

export type CompanyRow = AnswerOf<"companies.list">["data"][number];
export type CompanyDetail = AnswerOf<"companies.get">;
export type CompanyState = CompanyRow["state"];
export type CompanyFilterValues = { search?: string; state?: CompanyState; plan?: string };

export const COMPANY_SORTS = ["-created", "name"] as const;

export const companiesQuery = (
  place: PageCursor,
  filters: CompanyFilterValues,
  sort: SortOf<typeof COMPANY_SORTS> = "-created",
) => listOf("companies.list", { ...place, ...filters, sort, rows: ROWS_PER_PAGE });

export const companyQuery = (id: string) =>
  queryOf("companies.get", { params: { id } }, { refetchInterval: REFRESH_MS });

export type NewCompany = {
  name: string;
  email: string;
  ownerName: string;
  planId: string | null;
};

export function useCreateCompany() {
  const onSuccess = useInvalidateOperate();
  return useMutation({
    mutationFn: (body: NewCompany) => change("companies.create", { body }),
    onSuccess,
  });
}

export function useInviteOwner(id: string) {
  const onSuccess = useInvalidateOperate();
  return useMutation({
    mutationFn: (body: { email: string }) =>
      change("companies.inviteOwner", {
        params: { id },
        body,
      }),
    onSuccess,
  });
}

export type CompanyChange = {
  planId?: string;
  figures?: PlanLimits;
  subscriptionActive?: boolean;
  serviceEnabled?: boolean;
  suspended?: boolean;
  overdueInvoice?: { number: string; paymentUrl: string } | null;
};

const updateCompanyById = (id: string, body: CompanyChange) =>
  change("companies.update", {
    params: { id },
    body,
  });

export function useUpdateCompany(id: string) {
  const invalidate = useInvalidateOperate();
  return useMutation({
    mutationFn: (body: CompanyChange) => updateCompanyById(id, body),
    // Not awaited: the refetch replaces the section, whose own `onSuccess` would then not run.
    onSuccess: () => void invalidate(),
  });
}

/** @param undo if given, the toast offers it */
export const useSwitchCompanyState = (
  id: string,
  { change, success, undo }: { change: CompanyChange; success: string; undo?: CompanyChange },
) =>
  useAction({
    call: () => updateCompanyById(id, change),
    invalidates: OPERATE_KEYS,
    success,
    ...(undo && { undo: () => updateCompanyById(id, undo) }),
  });

/** Query keys of the operator pages. A change on one of them can affect the others. */
export const OPERATE_KEYS = [
  ["companies"],
  ["plans"],
  ["queue"],
  ["operate"],
  ["mailHosts"],
  ["limits"],
  ["mailLog"],
] as const;

export function useInvalidateOperate(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(OPERATE_KEYS.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
