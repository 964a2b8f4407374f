import { useMutation, useQuery } from "@tanstack/react-query";

import type { Privilege } from "#server/universal/privileges.ts";

import {
  type AnswerOf,
  type Area,
  change,
  ConsoleError,
  type InputOf,
  nameIn,
  read,
} from "./console-client.ts";
import { queryOf } from "./endpoint-queries.ts";
import { HOME, SIGN_IN } from "./next-page.ts";
import { signWithPasskey } from "./passkeys.ts";
import { useAction } from "./ui/actions.tsx";
import { claimDrafts, clearDrafts } from "./ui/form/drafts.ts";
import { useInBrowser } from "./use-in-browser.ts";

const STALE_MS = 60_000;

/** The signed-in admin. */
export type Me = AnswerOf<"sessions.getMe">;

export const meQuery = queryOf("sessions.getMe", {}, { staleTime: STALE_MS });

/** The second factor that an admin presents. */
export type Proof = InputOf<"sessions.secondFactor">["body"];

/** The second factors that the admin can use. */
export type AskedFactors = NonNullable<AnswerOf<"sessions.signIn">["secondFactor"]>;

/** The session has started, or a second factor is required. */
export function useSignIn() {
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => change("sessions.signIn", { body }),
    onSuccess: (_, { email }) => claimDrafts(email),
  });
}

/** Refetches the signed-in admin. Cached data stays: the page decides whether it belongs to the same admin. */
export function useWhoAmI() {
  return useMutation({
    mutationFn: () => read("sessions.getMe", {}),
  });
}

/** Verifies the second factor after the password. */
export function useShowFactor(area: Area) {
  return useMutation({
    mutationFn: (body: Proof) => change(nameIn(area, "sessions.secondFactor"), { body }),
  });
}

/** Signs in with a passkey only. */
export function usePasskeySignIn() {
  return useMutation({
    mutationFn: async () => {
      const { options } = await change("sessions.passkeyOptions", {});
      const response = await signWithPasskey(options);
      return change("sessions.passkeySignIn", { body: { response } });
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
        await change("sessions.signOut", {});
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
    call: (id: string) => change("sessions.switchCompany", { params: { id } }),
    onDone() {
      clearDrafts();
      window.location.assign(HOME);
    },
  });

/**
 * The signed-in admin; undefined while loading. Use this instead of the query: during hydration the query
 * may already have data, but the first render must match the server's, which has none.
 */
export function useMe(): Me | undefined {
  const { data } = useQuery(meQuery);
  return useInBrowser(data);
}

/**
 * The signed-in admin's privileges, for hiding what the server would reject. None while loading.
 */
export function usePrivileges(): {
  /** Whether the admin has any of them. */
  has: (...anyOf: Privilege[]) => boolean;
  isOwner: boolean;
} {
  const me = useMe();
  return {
    has: (...anyOf) => anyOf.some((each) => me?.privileges.includes(each)),
    isOwner: me?.isOwner ?? false,
  };
}
