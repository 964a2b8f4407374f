import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

type Settings = AnswerOf<"limits.listSettings">;
export type Setting = Settings["settings"][number];
export type SettingPreview = AnswerOf<"limits.previewSetting">;
export type InstanceChange = Settings["changes"][number];

export const settingsQuery = queryOf("limits.listSettings", {});

/** Null resets the setting to its default. */
export function useChangeSetting(name: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (value: string | null) =>
      change("limits.changeSetting", {
        params: { name },
        body: { value },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["limits", "listSettings"] }),
  });
}

export const usePreviewSetting = (name: string) =>
  useMutation({
    mutationFn: (value: string) =>
      change("limits.previewSetting", {
        params: { name },
        body: { value },
      }),
  });

export function useErasePerson() {
  return useMutation({
    mutationFn: (body: { address: string; keepSuppressions: boolean }) =>
      change("operate.erasePerson", { body }),
  });
}
