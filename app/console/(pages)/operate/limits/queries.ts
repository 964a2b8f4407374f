import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { erasePerson } from "#server/console/operate/erasure/erase-person.ts";
import type { changeSetting } from "#server/console/operate/limits/change-setting.ts";
import type { previewSetting } from "#server/console/operate/limits/preview-setting.ts";
import type { listSettings } from "#server/console/operate/limits/list-settings.ts";

type Settings = Answer<typeof listSettings>;
export type Setting = Settings["settings"][number];
export type SettingPreview = Answer<typeof previewSetting>;
export type InstanceChange = Settings["changes"][number];

const KEY = ["operate", "settings"];

export const settingsQuery = queryOptions({
  queryKey: KEY,
  queryFn: () => call<typeof listSettings>("GET", "/console/api/operate/settings", {}),
});

/** Null resets the setting to its default. */
export function useChangeSetting(name: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (value: string | null) =>
      call<typeof changeSetting>("PATCH", "/console/api/operate/settings/{name}", {
        params: { name },
        body: { value },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
}

export const usePreviewSetting = (name: string) =>
  useMutation({
    mutationFn: (value: string) =>
      call<typeof previewSetting>("POST", "/console/api/operate/settings/{name}/preview", {
        params: { name },
        body: { value },
      }),
  });

export function useErasePerson() {
  return useMutation({
    mutationFn: (body: { address: string; keep_suppressions: boolean }) =>
      call<typeof erasePerson>("POST", "/console/api/operate/erasures", { body }),
  });
}
