import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";

import { HOME } from "#app/account/account-page.ts";
import type { NewPassword } from "#app/account/ui/password-form.tsx";
import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { setSessionExpired } from "#app/console/session-expired.ts";
import { claimDrafts, clearDrafts } from "#app/console/ui/form/drafts.ts";
import { useAction } from "#app/console/ui/actions.tsx";

export type Me = AnswerOf<"account.sessions.getMe">;
export type SetUp = AnswerOf<"account.setUp.getSetUp">;

export const meQuery = queryOf("account.sessions.getMe", {});

export const setUpQuery = queryOf("account.setUp.getSetUp", {}, { staleTime: Infinity });

export const connectQuery = (email: string) =>
  queryOf(
    "account.setUp.getConnect",
    { query: { email } },
    { enabled: email !== "", staleTime: Infinity },
  );

export function useSignIn() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { address: string; password: string }) =>
      change("account.sessions.signIn", { body }),
    // Drop data cached for an earlier session, perhaps of another mailbox.
    onSuccess(_, { address }) {
      claimDrafts(address.trim().toLowerCase());
      queryClient.removeQueries();
    },
  });
}

/** Signs in again after the session has expired, without dropping what the page shows. */
export function useSignInAgain() {
  return useMutation({
    mutationFn: (body: { address: string; password: string }) =>
      change("account.sessions.signIn", { body }),
  });
}

/** Continues with the page after signing in again. Another mailbox user goes to the overview instead. */
export function useResume() {
  const queryClient = useQueryClient();
  const before = queryClient.getQueryData(meQuery.queryKey)?.address;
  return useMutation({
    mutationFn: () => read("account.sessions.getMe", {}),
    onSuccess({ address }) {
      if (address !== before) {
        clearDrafts();
        window.location.assign(HOME);
        return;
      }
      setSessionExpired(false);
      void queryClient.invalidateQueries();
    },
  });
}

/** Opens the sign-in page. */
export function useSignOut() {
  const router = useRouter();
  return useAction({
    call: () => change("account.sessions.signOut", {}),
    onDone() {
      clearDrafts();
      router.replace("/account/sign-in");
    },
  });
}

export const passwordLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ["password link", token],
    queryFn: () =>
      change("account.sessions.checkPasswordLink", {
        body: { token },
      }),
    enabled: token !== "",
    staleTime: Infinity,
  });

/** Sets the password through a link, and signs in with it. */
export function useSetPasswordByLink(token: string) {
  const signIn = useSignIn();
  return useMutation({
    async mutationFn(password: string) {
      const { address } = await change("account.sessions.setPasswordByLink", {
        body: { token, password },
      });
      // The password is set: if this fails, the page asks for it.
      await signIn.mutateAsync({ address, password }).catch(() => {});
    },
  });
}

export function useChangePassword() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ currentPassword: current, password }: NewPassword) =>
      change("account.sessions.changePassword", {
        body: { ...(current !== null && { currentPassword: current }), password },
      }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
}
