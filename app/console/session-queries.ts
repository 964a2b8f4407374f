import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import type { switchCompany } from "#server/console/companies/switch-company.ts";
import type { getMe } from "#server/console/sessions/get-me.ts";
import type { signIn } from "#server/console/sessions/sign-in.ts";
import type { signOut } from "#server/console/sessions/sign-out.ts";

import { type Answer, call } from "./console-client.ts";
import { HOME } from "./next-page.ts";

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

export function useSignOut() {
  return useMutation({
    mutationFn: () => call<typeof signOut>("POST", "/console/api/sign-out", {}),
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
