import type { AnswerOf } from "#app/console/console-client.ts";
import { useChange } from "#app/console/ui/actions.tsx";

type SingleSignOnSettings = AnswerOf<"singleSignOn.get">;
export type ConnectedProvider = NonNullable<SingleSignOnSettings["provider"]>;
/** How mailboxes sign in; null unless they can sign in with the provider. */
export type ProviderUse = SingleSignOnSettings["mailboxes"];

/** Its settings, and whether the admin signed in with it. */
export const SINGLE_SIGN_ON = ["singleSignOn.get", "sessions.getMe"] as const;

export const useUpdateProvider = (success: string) =>
  useChange("singleSignOn.update", { invalidates: SINGLE_SIGN_ON, success });
