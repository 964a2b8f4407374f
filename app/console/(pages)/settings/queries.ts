import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";

import { type Answer, call } from "#app/console/console-client.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { endCompanySession } from "#server/console/settings/end-company-session.ts";
import type { getSettings } from "#server/console/settings/get-settings.ts";
import type { getUsage } from "#server/console/settings/get-usage.ts";
import type { listCompanySessions } from "#server/console/settings/list-company-sessions.ts";
import type { updateSettings } from "#server/console/settings/update-settings.ts";

export type CompanySettings = Answer<typeof getSettings>;
export type Usage = Answer<typeof getUsage>;
export type SettingsChange = z.input<NonNullable<(typeof updateSettings)["body"]>>;

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => call<typeof getSettings>("GET", "/console/api/settings", {}),
});

export const usageQuery = queryOptions({
  queryKey: ["settings", "usage"],
  queryFn: () => call<typeof getUsage>("GET", "/console/api/settings/usage", {}),
});

export const companySessionsQuery = queryOptions({
  queryKey: ["settings", "sessions"],
  queryFn: () => call<typeof listCompanySessions>("GET", "/console/api/settings/sessions", {}),
});

export function useChangeSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SettingsChange) =>
      call<typeof updateSettings>("PATCH", "/console/api/settings", { body }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries(settingsQuery),
        client.invalidateQueries(meQuery),
      ]);
    },
  });
}

export const useEndCompanySession = () =>
  useAction({
    call: (id: string) =>
      call<typeof endCompanySession>("DELETE", "/console/api/settings/sessions/{id}", {
        params: { id },
      }),
    invalidates: [companySessionsQuery.queryKey],
  });
