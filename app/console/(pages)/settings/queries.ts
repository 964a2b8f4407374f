import type { AnswerOf } from "#app/console/console-client.ts";
import { useChange } from "#app/console/ui/actions.tsx";

export type CompanySettings = AnswerOf<"settings.get">;

export const useChangeSettings = () =>
  useChange("settings.update", {
    invalidates: ["settings", "singleSignOn", "sessions.getMe"],
    waits: true,
  });
