"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { z } from "zod";

import { type Answer, call } from "#app/console/console-client.ts";
import { makePasskey, signWithPasskey } from "#app/console/passkeys.ts";
import type { getProfile } from "#server/console/profile/get-profile.ts";
import type {
  confirmTotp,
  finishPasskey,
  getPasskeyChallenge,
  regenerateRecoveryCodes,
  removePasskey,
  removeTotp,
  renamePasskey,
  startPasskey,
  startTotp,
} from "#server/console/second-factors/factor-endpoints.ts";

import type { OwnPassword } from "./password-field.tsx";

export type Factors = Answer<typeof getProfile>["second_factor"];
export type Passkey = Factors["passkeys"][number];
export type TotpSetup = Answer<typeof startTotp>;

/** The password and second factor required before weakening a sign-in. */
export type IdentityProof = z.input<NonNullable<(typeof removeTotp)["body"]>>;

/** The same for changes for which users without a second factor verify their identity too. */
export type Identity = Partial<IdentityProof>;

/** Nothing after the identity provider has verified the user, which only `/account` accepts. */
export const toPasswordBody = (password: OwnPassword) => ({
  current_password: password ?? undefined,
});

/**
 * Whose factors the dialogs change: the path of the endpoints, and the queries that a change affects. The endpoints of
 * mailbox users have the same inputs and responses as those of admins.
 */
export type FactorEndpoints = {
  /** Typed as the console's path, which the responses are checked against. */
  base: "/console/api/profile";
  affected: (readonly unknown[])[];
};

const ADMIN_FACTORS: FactorEndpoints = {
  base: "/console/api/profile",
  // Adding or removing a factor can change `second_factor_due` in `me`.
  affected: [["profile"], ["me"]],
};

const Endpoints = createContext<FactorEndpoints>(ADMIN_FACTORS);
export const FactorEndpointsProvider = Endpoints.Provider;

export function useRefreshFactors() {
  const client = useQueryClient();
  const { affected } = useContext(Endpoints);
  return async () => {
    await Promise.all(affected.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

export function useStartTotp() {
  const { base } = useContext(Endpoints);
  return useMutation({
    mutationFn: (password: OwnPassword) =>
      call<typeof startTotp>("POST", `${base}/totp`, { body: toPasswordBody(password) }),
  });
}

export function useConfirmTotp() {
  const { base } = useContext(Endpoints);
  return useMutation({
    mutationFn: (code: string) =>
      call<typeof confirmTotp>("POST", `${base}/totp/confirm`, { body: { code } }),
  });
}

export function useAddPasskey() {
  const { base } = useContext(Endpoints);
  return useMutation({
    mutationFn: async ({ password, name }: { password: OwnPassword; name: string }) => {
      const body = toPasswordBody(password);
      const { options } = await call<typeof startPasskey>("POST", `${base}/passkeys/options`, {
        body,
      });
      const response = await makePasskey(options);
      return call<typeof finishPasskey>("POST", `${base}/passkeys`, { body: { name, response } });
    },
  });
}

export function useRenamePasskey() {
  const { base } = useContext(Endpoints);
  return useMutation({
    mutationFn: ({ id, name }: { id: string; name: string }) =>
      call<typeof renamePasskey>("PATCH", `${base}/passkeys/{id}`, {
        params: { id },
        body: { name },
      }),
    onSuccess: useRefreshFactors(),
  });
}

/** Signs with a passkey, to confirm a change. */
export function useSignPasskeyProof() {
  const { base } = useContext(Endpoints);
  return async () => {
    const { options } = await call<typeof getPasskeyChallenge>("POST", `${base}/proof/options`, {});
    return { passkey: await signWithPasskey(options) };
  };
}

/** @param id of a passkey; null for the authenticator app */
export function useRemoveFactor(id: string | null) {
  const { base } = useContext(Endpoints);
  return useMutation({
    mutationFn: async (body: IdentityProof) => {
      if (id === null) await call<typeof removeTotp>("POST", `${base}/totp/remove`, { body });
      else
        await call<typeof removePasskey>("POST", `${base}/passkeys/{id}/remove`, {
          params: { id },
          body,
        });
    },
    onSuccess: useRefreshFactors(),
  });
}

export function useRegenerateRecoveryCodes() {
  const { base } = useContext(Endpoints);
  return useMutation({
    mutationFn: (body: IdentityProof) =>
      call<typeof regenerateRecoveryCodes>("POST", `${base}/recovery-codes`, { body }),
  });
}
