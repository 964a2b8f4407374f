import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import type { switchCompany } from "#server/console/companies/switch-company.ts";
import type { getMe } from "#server/console/sessions/get-me.ts";
import type { signIn } from "#server/console/sessions/sign-in.ts";
import type { signOut } from "#server/console/sessions/sign-out.ts";

import { type Answer, call, ConsoleError } from "./console-client.ts";
import { HOME, SIGN_IN } from "./next-page.ts";

const STALE_MS = 60_000;

/** Who is signed in. */
export type Me = Answer<typeof getMe>;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () => call<typeof getMe>("GET", "/console/api/me", {}),
  staleTime: STALE_MS,
});

export function useSignIn() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      call<typeof signIn>("POST", "/console/api/sign-in", { body }),
    // What was read in an earlier session, perhaps of another person, must not show in this one.
    onSuccess: () => queryClient.removeQueries(),
  });
}

/** Who is signed in after it. What was read before stays: the page decides whether it is theirs. */
export function useSignInAgain() {
  return useMutation({
    mutationFn: async (body: { email: string; password: string }) => {
      await call<typeof signIn>("POST", "/console/api/sign-in", { body });
      return call<typeof getMe>("GET", "/console/api/me", {});
    },
  });
}

/** Leads to the door by loading it: nothing that was read stays in the browser. */
export function useSignOut() {
  return useMutation({
    mutationFn: async () => {
      try {
        await call<typeof signOut>("POST", "/console/api/sign-out", {});
      } catch (error) {
        const isOver = error instanceof ConsoleError && error.reason === "not_signed_in";
        if (!isOver) throw error;
      }
    },
    onSuccess: () => window.location.assign(SIGN_IN),
  });
}

/** What was read belongs to the company that was left: the page is loaded anew, at its first. */
export function useSwitchCompany() {
  return useMutation({
    mutationFn: (id: string) =>
      call<typeof switchCompany>("POST", "/console/api/companies/{id}/switch", { params: { id } }),
    onSuccess: () => window.location.assign(HOME),
  });
}
