import { queryOptions, useMutation } from "@tanstack/react-query";
import type { z } from "zod";

import type { switchCompany } from "#server/console/companies/switch-company.ts";
import type { getMe } from "#server/console/sessions/get-me.ts";
import type { passkeyOptions } from "#server/console/sessions/passkey-options.ts";
import type { passkeySignIn } from "#server/console/sessions/passkey-sign-in.ts";
import type { secondFactor } from "#server/console/sessions/second-factor.ts";
import type { signIn } from "#server/console/sessions/sign-in.ts";
import type { signOut } from "#server/console/sessions/sign-out.ts";

import { type Answer, call, ConsoleError } from "./console-client.ts";
import { HOME, SIGN_IN } from "./next-page.ts";
import { signWithPasskey } from "./passkeys.ts";
import { claimDrafts, clearDrafts } from "./ui/form/drafts.ts";
import { useAction } from "./ui/use-action.ts";

const STALE_MS = 60_000;

/** The signed-in admin. */
export type Me = Answer<typeof getMe>;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () => call<typeof getMe>("GET", "/console/api/me", {}),
  staleTime: STALE_MS,
});

/** The second factor that an admin presents. */
export type Proof = z.input<NonNullable<(typeof secondFactor)["body"]>>;

/** The second factors that the admin can use. */
export type AskedFactors = NonNullable<Answer<typeof signIn>["second_factor"]>;

/** The session has started, or a second factor is required. */
export function useSignIn() {
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      call<typeof signIn>("POST", "/console/api/sign-in", { body }),
    onSuccess: (_, { email }) => claimDrafts(email),
  });
}

/** Refetches the signed-in admin. Cached data stays: the page decides whether it belongs to the same admin. */
export function useWhoAmI() {
  return useMutation({
    mutationFn: () => call<typeof getMe>("GET", "/console/api/me", {}),
  });
}

/** Path of the console's endpoint; the one at `/account` has the same input and response. */
export type StepPath = "/console/api/sign-in/second-factor";

/** Verifies the second factor after the password. @param path of the endpoint, at the console or at `/account` */
export function useShowFactor(path: StepPath) {
  return useMutation({
    mutationFn: (body: Proof) => call<typeof secondFactor>("POST", path, { body }),
  });
}

/** Signs in with a passkey only. */
export function usePasskeySignIn() {
  return useMutation({
    mutationFn: async () => {
      const path = "/console/api/sign-in/passkey";
      const { options } = await call<typeof passkeyOptions>("POST", `${path}/options`, {});
      const response = await signWithPasskey(options);
      return call<typeof passkeySignIn>("POST", path, { body: { response } });
    },
    // Whose passkey it was isn't known here.
    onSuccess: clearDrafts,
  });
}

/** Redirects to the sign-in page with a full load, so that no cached data stays in the browser. */
export const useSignOut = () =>
  useAction({
    call: async () => {
      try {
        await call<typeof signOut>("POST", "/console/api/sign-out", {});
      } catch (error) {
        const isOver = error instanceof ConsoleError && error.reason === "not_signed_in";
        if (!isOver) throw error;
      }
    },
    onDone() {
      clearDrafts();
      window.location.assign(SIGN_IN);
    },
  });

/** Reloads the console at its first page, since all cached data belongs to the previous company. */
export const useSwitchCompany = () =>
  useAction({
    call: (id: string) =>
      call<typeof switchCompany>("POST", "/console/api/companies/{id}/switch", { params: { id } }),
    onDone() {
      clearDrafts();
      window.location.assign(HOME);
    },
  });
