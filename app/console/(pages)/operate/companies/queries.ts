import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { PlanLimits } from "#app/console/(pages)/operate/plan-limits.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/use-action.ts";
import type { createCompany } from "#server/console/operate/companies/create-company.ts";
import type { getCompany } from "#server/console/operate/companies/get-company.ts";
import type { inviteOwner } from "#server/console/operate/companies/invite-owner.ts";
import type { listCompanies } from "#server/console/operate/companies/list-companies.ts";
import type { updateCompany } from "#server/console/operate/companies/update-company.ts";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 25;

export type CompanyRow = Answer<typeof listCompanies>["data"][number];
export type CompanyDetail = Answer<typeof getCompany>;
export type CompanyState = CompanyRow["state"];
export type CompanyFilterValues = { search?: string; state?: CompanyState; plan?: string };

export const COMPANY_SORTS = ["-created", "name"] as const;

export const companiesQuery = (
  place: PageCursor,
  filters: CompanyFilterValues,
  sort: SortOf<typeof COMPANY_SORTS> = "-created",
) =>
  queryOptions({
    queryKey: ["operate", "companies", place, filters, sort],
    queryFn: () =>
      call<typeof listCompanies>("GET", "/console/api/operate/companies", {
        query: { ...place, ...filters, sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const companyQuery = (id: string) =>
  queryOptions({
    queryKey: ["operate", "companies", id],
    queryFn: () =>
      call<typeof getCompany>("GET", "/console/api/operate/companies/{id}", { params: { id } }),
    refetchInterval: REFRESH_MS,
  });

export type NewCompany = {
  name: string;
  email: string;
  owner_name: string;
  plan_id: string | null;
};

export function useCreateCompany() {
  const onSuccess = useInvalidateOperate();
  return useMutation({
    mutationFn: (body: NewCompany) =>
      call<typeof createCompany>("POST", "/console/api/operate/companies", { body }),
    onSuccess,
  });
}

export function useInviteOwner(id: string) {
  const onSuccess = useInvalidateOperate();
  return useMutation({
    mutationFn: (body: { email: string }) =>
      call<typeof inviteOwner>("POST", "/console/api/operate/companies/{id}/owners", {
        params: { id },
        body,
      }),
    onSuccess,
  });
}

export type CompanyChange = {
  plan_id?: string;
  figures?: PlanLimits;
  subscription_active?: boolean;
  service_enabled?: boolean;
  suspended?: boolean;
  overdue_invoice?: { number: string; payment_url: string } | null;
};

const updateCompanyById = (id: string, body: CompanyChange) =>
  call<typeof updateCompany>("PATCH", "/console/api/operate/companies/{id}", {
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
    invalidates: [["operate"]],
    success,
    ...(undo && { undo: () => updateCompanyById(id, undo) }),
  });

/** Refetches companies, plans and the queue: one change affects several of them. */
export function useInvalidateOperate(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["operate"] });
}
