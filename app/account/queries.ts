import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";

import { HOME } from "#app/account/account-page.ts";
import type { NewPassword } from "#app/account/ui/password-form.tsx";
import { type Answer, call } from "#app/console/console-client.ts";
import { setSessionExpired } from "#app/console/session-expired.ts";
import { claimDrafts, clearDrafts } from "#app/console/ui/form/drafts.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { getConnect } from "#server/account/set-up/get-connect.ts";
import type { getMe } from "#server/account/sessions/get-me.ts";
import type { getSetUp } from "#server/account/set-up/get-set-up.ts";
import type { checkPasswordLink } from "#server/account/sessions/check-password-link.ts";
import type { changePassword } from "#server/account/sessions/change-password.ts";
import type { setPasswordByLink } from "#server/account/sessions/set-password-by-link.ts";
import type { signIn } from "#server/account/sessions/sign-in.ts";
import type { signOut } from "#server/account/sessions/sign-out.ts";

export type Me = Answer<typeof getMe>;
export type SetUp = Answer<typeof getSetUp>;

export const meQuery = queryOptions({
  queryKey: ["account", "me"],
  queryFn: () => call<typeof getMe>("GET", "/account/api/me", {}),
});

export const setUpQuery = queryOptions({
  queryKey: ["account", "set-up"],
  queryFn: () => call<typeof getSetUp>("GET", "/account/api/set-up", {}),
  staleTime: Infinity,
});

export const connectQuery = (email: string) =>
  queryOptions({
    queryKey: ["connect", email],
    queryFn: () => call<typeof getConnect>("GET", "/account/api/connect", { query: { email } }),
    enabled: email !== "",
    staleTime: Infinity,
  });

export function useSignIn() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { address: string; password: string }) =>
      call<typeof signIn>("POST", "/account/api/sign-in", { body }),
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
      call<typeof signIn>("POST", "/account/api/sign-in", { body }),
  });
}

/** Continues with the page after signing in again. Another mailbox user goes to the overview instead. */
export function useResume() {
  const queryClient = useQueryClient();
  const before = queryClient.getQueryData(meQuery.queryKey)?.address;
  return useMutation({
    mutationFn: () => call<typeof getMe>("GET", "/account/api/me", {}),
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
    call: () => call<typeof signOut>("POST", "/account/api/sign-out", {}),
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
      call<typeof checkPasswordLink>("POST", "/account/api/password-link/check", {
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
      const { address } = await call<typeof setPasswordByLink>(
        "POST",
        "/account/api/password-link",
        { body: { token, password } },
      );
      // The password is set: if this fails, the page asks for it.
      await signIn.mutateAsync({ address, password }).catch(() => {});
    },
  });
}

export function useChangePassword() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ current_password: current, password }: NewPassword) =>
      call<typeof changePassword>("POST", "/account/api/password", {
        body: { ...(current !== null && { current_password: current }), password },
      }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
}
