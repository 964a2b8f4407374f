import { queryOptions, useMutation } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { requestReset } from "#server/console/password-reset/request-reset.ts";
import type { checkResetLink } from "#server/console/password-reset/check-reset-link.ts";
import type { resetOwnPassword } from "#server/console/password-reset/reset-password.ts";

export type ResetLink = Answer<typeof checkResetLink>;

/** The admin whose password the link resets. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ["reset-link", token],
    queryFn: () =>
      call<typeof checkResetLink>("POST", "/console/api/password-reset/check", {
        body: { token },
      }),
    staleTime: Infinity,
    gcTime: 0,
  });

export function useAskForReset() {
  return useMutation({
    mutationFn: (email: string) =>
      call<typeof requestReset>("POST", "/console/api/password-reset", { body: { email } }),
  });
}

export function useResetPassword() {
  return useMutation({
    mutationFn: (body: { token: string; password: string }) =>
      call<typeof resetOwnPassword>("POST", "/console/api/password-reset/finish", { body }),
  });
}
