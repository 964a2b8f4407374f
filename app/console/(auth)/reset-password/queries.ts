import { queryOptions, useMutation } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";

export type ResetLink = AnswerOf<"passwordReset.checkResetLink">;

/** The admin whose password the link resets. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ["reset-link", token],
    queryFn: () =>
      change("passwordReset.checkResetLink", {
        body: { token },
      }),
    staleTime: Infinity,
    gcTime: 0,
  });

export function useAskForReset() {
  return useMutation({
    mutationFn: (email: string) => change("passwordReset.requestReset", { body: { email } }),
  });
}

export function useResetPassword() {
  return useMutation({
    mutationFn: (body: { token: string; password: string }) =>
      change("passwordReset.resetOwnPassword", { body }),
  });
}
