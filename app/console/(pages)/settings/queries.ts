import type { PageApi } from "#server/resources/pages.ts";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { useAction } from "#app/console/ui/use-action.ts";

export type CompanySettings = AnswerOf<"settings.get">;
export type Usage = AnswerOf<"settings.getUsage">;
export type SettingsChange = z.input<NonNullable<PageApi["settings.update"]["body"]>>;

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => read("settings.get", {}),
});

export const usageQuery = queryOptions({
  queryKey: ["settings", "usage"],
  queryFn: () => read("settings.getUsage", {}),
});

export const companySessionsQuery = queryOptions({
  queryKey: ["settings", "sessions"],
  queryFn: () => read("settings.listCompanySessions", {}),
});

export function useChangeSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SettingsChange) => change("settings.update", { body }),
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
      change("settings.endCompanySession", {
        params: { id },
      }),
    invalidates: [companySessionsQuery.queryKey],
  });
