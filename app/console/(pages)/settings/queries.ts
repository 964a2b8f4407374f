import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change, type InputOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { meQuery } from "#app/console/session.ts";
import { useAction } from "#app/console/ui/actions.tsx";

export type CompanySettings = AnswerOf<"settings.get">;
export type Usage = AnswerOf<"settings.getUsage">;
export type SettingsChange = InputOf<"settings.update">["body"];

export const settingsQuery = queryOf("settings.get", {});

export const usageQuery = queryOf("settings.getUsage", {});

export const companySessionsQuery = queryOf("settings.listCompanySessions", {});

export function useChangeSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SettingsChange) => change("settings.update", { body }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ["settings"] }),
        client.invalidateQueries({ queryKey: ["singleSignOn"] }),
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
