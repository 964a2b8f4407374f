import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";

type Settings = AnswerOf<"limits.listSettings">;
export type Setting = Settings["settings"][number];
export type SettingPreview = AnswerOf<"limits.previewSetting">;
export type InstanceChange = Settings["changes"][number];

const KEY = ["operate", "settings"];

export const settingsQuery = queryOptions({
  queryKey: KEY,
  queryFn: () => read("limits.listSettings", {}),
});

/** Null resets the setting to its default. */
export function useChangeSetting(name: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (value: string | null) =>
      change("limits.changeSetting", {
        params: { name },
        body: { value },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEY }),
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
