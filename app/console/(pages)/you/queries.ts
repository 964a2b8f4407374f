import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";

import { type Answer, call } from "#app/console/console-client.ts";
import { makePasskey, signWithPasskey } from "#app/console/passkeys.ts";
import { meQuery } from "#app/console/session-queries.ts";
import type { askForProof } from "#server/console/second-factors/ask-for-proof.ts";
import type { confirmTotp } from "#server/console/second-factors/confirm-totp.ts";
import type { finishPasskey } from "#server/console/second-factors/finish-passkey.ts";
import type { newRecoveryCodes } from "#server/console/second-factors/new-recovery-codes.ts";
import type { removePasskey } from "#server/console/second-factors/remove-passkey.ts";
import type { removeTotp } from "#server/console/second-factors/remove-totp.ts";
import type { renamePasskey } from "#server/console/second-factors/rename-passkey.ts";
import type { startPasskey } from "#server/console/second-factors/start-passkey.ts";
import type { startTotp } from "#server/console/second-factors/start-totp.ts";
import type { changePassword } from "#server/console/you/change-password.ts";
import type { getYou } from "#server/console/you/get-you.ts";
import type { updateYou } from "#server/console/you/update-you.ts";

export type You = Answer<typeof getYou>;
export type Factors = You["second_factor"];
export type Passkey = Factors["passkeys"][number];
export type TotpSetUp = Answer<typeof startTotp>;

/** What a person shows before protection is taken away. */
export type Shown = z.input<NonNullable<(typeof removeTotp)["body"]>>;

export const youQuery = queryOptions({
  queryKey: ["you"],
  queryFn: () => call<typeof getYou>("GET", "/console/api/you", {}),
});

/** Afterwards what is shown of the person is read anew: whether a factor is due may have changed. */
export function useFresh() {
  const client = useQueryClient();
  return async () => {
    await Promise.all([client.invalidateQueries(youQuery), client.invalidateQueries(meQuery)]);
  };
}

export function useRename() {
  return useMutation({
    mutationFn: (name: string) =>
      call<typeof updateYou>("PATCH", "/console/api/you", { body: { name } }),
    onSuccess: useFresh(),
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { current_password: string; password: string }) =>
      call<typeof changePassword>("POST", "/console/api/you/password", { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["own-sessions"] }),
  });
}

export function useStartTotp() {
  return useMutation({
    mutationFn: (password: string) =>
      call<typeof startTotp>("POST", "/console/api/you/totp", {
        body: { current_password: password },
      }),
    gcTime: 0,
  });
}

export function useConfirmTotp() {
  return useMutation({
    mutationFn: (code: string) =>
      call<typeof confirmTotp>("POST", "/console/api/you/totp/confirm", { body: { code } }),
    gcTime: 0,
  });
}

export function useAddPasskey() {
  return useMutation({
    mutationFn: async ({ password, name }: { password: string; name: string }) => {
      const path = "/console/api/you/passkeys";
      const body = { current_password: password };
      const { options } = await call<typeof startPasskey>("POST", `${path}/options`, { body });
      const response = await makePasskey(options);
      return call<typeof finishPasskey>("POST", path, { body: { name, response } });
    },
    gcTime: 0,
  });
}

export function useRenamePasskey() {
  return useMutation({
    mutationFn: ({ id, name }: { id: string; name: string }) =>
      call<typeof renamePasskey>("PATCH", "/console/api/you/passkeys/{id}", {
        params: { id },
        body: { name },
      }),
    onSuccess: useFresh(),
  });
}

/** Has one of the person's passkeys sign that it is them. */
export async function proofByPasskey() {
  const { options } = await call<typeof askForProof>("POST", "/console/api/you/proof/options", {});
  return { passkey: await signWithPasskey(options) };
}

/** @param id of a passkey; null for the authenticator app */
export function useRemoveFactor(id: string | null) {
  return useMutation({
    mutationFn: async (body: Shown) => {
      if (id === null)
        await call<typeof removeTotp>("POST", "/console/api/you/totp/remove", { body });
      else
        await call<typeof removePasskey>("POST", "/console/api/you/passkeys/{id}/remove", {
          params: { id },
          body,
        });
    },
    onSuccess: useFresh(),
  });
}

export function useNewRecoveryCodes() {
  return useMutation({
    mutationFn: (body: Shown) =>
      call<typeof newRecoveryCodes>("POST", "/console/api/you/recovery-codes", { body }),
    gcTime: 0,
  });
}
