import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { fetchSetUps } from "#app/console/(pages)/mailboxes/welcome/queries.ts";
import { type Answer, call } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { endSessions } from "#server/console/mailboxes/end-sessions.ts";
import type { getAccess } from "#server/console/mailboxes/get-access.ts";
import type { getEffectiveSettings } from "#server/console/mailboxes/get-effective-settings.ts";
import type { resendPasswordLink } from "#server/console/mailboxes/resend-password-link.ts";
import type { revokeAppPassword } from "#server/console/mailboxes/revoke-app-password.ts";
import type { unlinkMailbox } from "#server/console/mailboxes/unlink-mailbox.ts";

const ACCESS_REFRESH_MS = 15_000;

export type Access = Answer<typeof getAccess>;
export type EffectiveSettings = Answer<typeof getEffectiveSettings>;

export const accessQuery = (email: string) =>
  queryOptions({
    queryKey: ["mailbox", email, "access"],
    queryFn: () =>
      call<typeof getAccess>("GET", "/console/api/mailboxes/{email}/access", { params: { email } }),
    refetchInterval: ACCESS_REFRESH_MS,
  });

export const effectiveSettingsQuery = (email: string) =>
  queryOptions({
    queryKey: ["mailbox", email, "in force"],
    queryFn: () =>
      call<typeof getEffectiveSettings>(
        "GET",
        "/console/api/mailboxes/{email}/effective-settings",
        {
          params: { email },
        },
      ),
  });

export const setUpQuery = (email: string) =>
  queryOptions({
    queryKey: ["mailbox", email, "set-up"],
    queryFn: async () => (await fetchSetUps([email]))[0] ?? null,
  });

/** One browser session, the mail app sessions of one address, or all if empty. */
export type SessionsToEnd = { browser?: string; mail_apps_from?: string };

export const useEndSessions = (email: string) =>
  useAction({
    call: (body: SessionsToEnd) =>
      call<typeof endSessions>("POST", "/console/api/mailboxes/{email}/end-sessions", {
        params: { email },
        body,
      }),
    invalidates: [accessQuery(email).queryKey],
    success: (_, { browser, mail_apps_from: from }) =>
      browser === undefined && from === undefined ? "All sessions ended" : "Session ended",
  });

export const useUnlinkMailbox = (email: string) =>
  useAction({
    call: () =>
      call<typeof unlinkMailbox>("DELETE", "/console/api/mailboxes/{email}/single-sign-on", {
        params: { email },
      }),
    invalidates: [accessQuery(email).queryKey],
    success: `${email} unlinked`,
  });

export function useRevokeAppPassword(email: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call<typeof revokeAppPassword>(
        "DELETE",
        "/console/api/mailboxes/{email}/app-passwords/{id}",
        {
          params: { email, id },
        },
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: accessQuery(email).queryKey }),
  });
}

export function useResendPasswordLink(email: string) {
  const queryClient = useQueryClient();
  return async (to: string) => {
    const sent = await call<typeof resendPasswordLink>(
      "POST",
      "/console/api/mailboxes/{email}/password-link",
      { params: { email }, body: { to } },
    );
    void queryClient.invalidateQueries({ queryKey: accessQuery(email).queryKey });
    return sent;
  };
}
