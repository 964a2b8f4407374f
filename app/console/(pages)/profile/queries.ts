import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";

import { type Answer, call } from "#app/console/console-client.ts";
import { makePasskey, signWithPasskey } from "#app/console/passkeys.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { getPasskeyChallenge } from "#server/console/second-factors/get-passkey-challenge.ts";
import type { confirmTotp } from "#server/console/second-factors/confirm-totp.ts";
import type { finishPasskey } from "#server/console/second-factors/finish-passkey.ts";
import type { regenerateRecoveryCodes } from "#server/console/second-factors/regenerate-recovery-codes.ts";
import type { removePasskey } from "#server/console/second-factors/remove-passkey.ts";
import type { removeTotp } from "#server/console/second-factors/remove-totp.ts";
import type { renamePasskey } from "#server/console/second-factors/rename-passkey.ts";
import type { startPasskey } from "#server/console/second-factors/start-passkey.ts";
import type { startTotp } from "#server/console/second-factors/start-totp.ts";
import type { changePassword } from "#server/console/profile/change-password.ts";
import type { endOwnOtherSessions } from "#server/console/profile/end-own-other-sessions.ts";
import type { endOwnSession } from "#server/console/profile/end-own-session.ts";
import type { listOwnSessions } from "#server/console/profile/list-own-sessions.ts";
import type { getProfile } from "#server/console/profile/get-profile.ts";
import type { updateProfile } from "#server/console/profile/update-profile.ts";

export type UserProfile = Answer<typeof getProfile>;
export type Factors = UserProfile["second_factor"];
export type Passkey = Factors["passkeys"][number];
export type TotpSetup = Answer<typeof startTotp>;

/** The password and second factor required before weakening an admin's sign-in. */
export type IdentityProof = z.input<NonNullable<(typeof removeTotp)["body"]>>;

export const profileQuery = queryOptions({
  queryKey: ["profile"],
  queryFn: () => call<typeof getProfile>("GET", "/console/api/profile", {}),
});

/** Refetches the profile and `me`, where adding or removing a factor can change `second_factor_due`. */
export function useRefreshProfile() {
  const client = useQueryClient();
  return async () => {
    await Promise.all([client.invalidateQueries(profileQuery), client.invalidateQueries(meQuery)]);
  };
}

export function useUpdateName() {
  return useMutation({
    mutationFn: (name: string) =>
      call<typeof updateProfile>("PATCH", "/console/api/profile", { body: { name } }),
    onSuccess: useRefreshProfile(),
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { current_password: string; password: string }) =>
      call<typeof changePassword>("POST", "/console/api/profile/password", { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["own-sessions"] }),
  });
}

export function useStartTotp() {
  return useMutation({
    mutationFn: (password: string) =>
      call<typeof startTotp>("POST", "/console/api/profile/totp", {
        body: { current_password: password },
      }),
  });
}

export function useConfirmTotp() {
  return useMutation({
    mutationFn: (code: string) =>
      call<typeof confirmTotp>("POST", "/console/api/profile/totp/confirm", { body: { code } }),
  });
}

export function useAddPasskey() {
  return useMutation({
    mutationFn: async ({ password, name }: { password: string; name: string }) => {
      const path = "/console/api/profile/passkeys";
      const body = { current_password: password };
      const { options } = await call<typeof startPasskey>("POST", `${path}/options`, { body });
      const response = await makePasskey(options);
      return call<typeof finishPasskey>("POST", path, { body: { name, response } });
    },
  });
}

export function useRenamePasskey() {
  return useMutation({
    mutationFn: ({ id, name }: { id: string; name: string }) =>
      call<typeof renamePasskey>("PATCH", "/console/api/profile/passkeys/{id}", {
        params: { id },
        body: { name },
      }),
    onSuccess: useRefreshProfile(),
  });
}

export async function signPasskeyProof() {
  const { options } = await call<typeof getPasskeyChallenge>(
    "POST",
    "/console/api/profile/proof/options",
    {},
  );
  return { passkey: await signWithPasskey(options) };
}

/** @param id of a passkey; null for the authenticator app */
export function useRemoveFactor(id: string | null) {
  return useMutation({
    mutationFn: async (body: IdentityProof) => {
      if (id === null)
        await call<typeof removeTotp>("POST", "/console/api/profile/totp/remove", { body });
      else
        await call<typeof removePasskey>("POST", "/console/api/profile/passkeys/{id}/remove", {
          params: { id },
          body,
        });
    },
    onSuccess: useRefreshProfile(),
  });
}

export function useRegenerateRecoveryCodes() {
  return useMutation({
    mutationFn: (body: IdentityProof) =>
      call<typeof regenerateRecoveryCodes>("POST", "/console/api/profile/recovery-codes", { body }),
  });
}

export type AdminSession = Answer<typeof listOwnSessions>["data"][number];

export const ownSessionsQuery = queryOptions({
  queryKey: ["own-sessions"],
  queryFn: () => call<typeof listOwnSessions>("GET", "/console/api/profile/sessions", {}),
});

export const useEndOwnSession = () =>
  useAction({
    call: (id: string) =>
      call<typeof endOwnSession>("DELETE", "/console/api/profile/sessions/{id}", {
        params: { id },
      }),
    invalidates: [ownSessionsQuery.queryKey],
  });

export function useEndOwnOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call<typeof endOwnOtherSessions>("DELETE", "/console/api/profile/sessions", {}),
    onSettled: () => client.invalidateQueries(ownSessionsQuery),
  });
}
