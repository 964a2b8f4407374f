import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { fetchSetUps } from "#app/console/(pages)/mailboxes/welcome/queries.ts";
import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";

const ACCESS_REFRESH_MS = 15_000;

export type Access = AnswerOf<"mailboxAccess.getAccess">;
export type EffectiveSettings = AnswerOf<"mailboxAccess.getEffectiveSettings">;

export const accessQuery = (email: string) =>
  queryOf("mailboxAccess.getAccess", { params: { email } }, { refetchInterval: ACCESS_REFRESH_MS });

export const effectiveSettingsQuery = (email: string) =>
  queryOf("mailboxAccess.getEffectiveSettings", {
    params: { email },
  });

export const setUpQuery = (email: string) =>
  queryOptions({
    queryKey: ["mailboxes", "readSetUps", email],
    queryFn: async () => (await fetchSetUps([email]))[0] ?? null,
  });

/** One browser session, the mail app sessions of one address, or all if empty. */
export type SessionsToEnd = { browser?: string; mailAppsFrom?: string };

export const useEndSessions = (email: string) =>
  useAction({
    call: (body: SessionsToEnd) =>
      change("mailboxAccess.endSessions", {
        params: { email },
        body,
      }),
    invalidates: [accessQuery(email).queryKey],
    success: (_, { browser, mailAppsFrom: from }) =>
      browser === undefined && from === undefined ? "All sessions ended" : "Session ended",
  });

export const useUnlinkMailbox = (email: string) =>
  useAction({
    call: () =>
      change("mailboxAccess.unlink", {
        params: { email },
      }),
    invalidates: [accessQuery(email).queryKey],
    success: `${email} unlinked`,
  });

export function useRevokeAppPassword(email: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      change("mailboxAccess.revokeAppPassword", {
        params: { email, id },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: accessQuery(email).queryKey }),
  });
}

export function useResendPasswordLink(email: string) {
  const queryClient = useQueryClient();
  return async (to: string) => {
    const sent = await change("mailboxAccess.resendPasswordLink", {
      params: { email },
      body: { to },
    });
    void queryClient.invalidateQueries({ queryKey: accessQuery(email).queryKey });
    return sent;
  };
}
