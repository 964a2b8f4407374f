import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";

import {
  type AnswerOf,
  type Area,
  change,
  type InputOf,
  nameIn,
} from "#app/console/console-client.ts";
import { makePasskey, signWithPasskey } from "#app/console/passkeys.ts";

export type Factors = AnswerOf<"profile.get">["secondFactor"];
export type Passkey = Factors["passkeys"][number];
export type TotpSetup = AnswerOf<"secondFactors.startTotp">;

/** The password and second factor required before weakening a sign-in. */
export type IdentityProof = InputOf<"secondFactors.removeTotp">["body"];

/** The same for changes for which users without a second factor verify their identity too. */
export type Identity = Partial<IdentityProof>;

/** What the user enters to verify their identity; null once the identity provider has verified it instead. */
export type OwnPassword = string | null;

/** Nothing after the identity provider has verified the user, which only `/account` accepts. */
export const toPasswordBody = (password: OwnPassword) => ({
  currentPassword: password ?? undefined,
});

/** The area whose endpoints the dialogs call, and the keys of the queries that a change affects. */
export type FactorEndpoints = {
  area: Area;
  affected: (readonly unknown[])[];
};

const ADMIN_FACTORS: FactorEndpoints = {
  area: "console",
  // Adding or removing a factor can change `secondFactorDue` in `me`.
  affected: [
    ["profile", "get"],
    ["sessions", "getMe"],
  ],
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
  const { area } = useContext(Endpoints);
  return useMutation({
    mutationFn: (password: OwnPassword) =>
      change(nameIn(area, "secondFactors.startTotp"), { body: toPasswordBody(password) }),
  });
}

export function useConfirmTotp() {
  const { area } = useContext(Endpoints);
  return useMutation({
    mutationFn: (code: string) =>
      change(nameIn(area, "secondFactors.confirmTotp"), { body: { code } }),
  });
}

export function useAddPasskey() {
  const { area } = useContext(Endpoints);
  return useMutation({
    mutationFn: async ({ password, name }: { password: OwnPassword; name: string }) => {
      const body = toPasswordBody(password);
      const { options } = await change(nameIn(area, "secondFactors.startPasskey"), {
        body,
      });
      const response = await makePasskey(options);
      return change(nameIn(area, "secondFactors.finishPasskey"), { body: { name, response } });
    },
  });
}

export function useRenamePasskey() {
  const { area } = useContext(Endpoints);
  return useMutation({
    mutationFn: ({ id, name }: { id: string; name: string }) =>
      change(nameIn(area, "secondFactors.renamePasskey"), {
        params: { id },
        body: { name },
      }),
    onSuccess: useRefreshFactors(),
  });
}

/** Signs with a passkey, to confirm a change. */
export function useSignPasskeyProof() {
  const { area } = useContext(Endpoints);
  return async () => {
    const { options } = await change(nameIn(area, "secondFactors.getPasskeyChallenge"), {});
    return { passkey: await signWithPasskey(options) };
  };
}

/** @param id of a passkey; null for the authenticator app */
export function useRemoveFactor(id: string | null) {
  const { area } = useContext(Endpoints);
  return useMutation({
    mutationFn: async (body: IdentityProof) => {
      if (id === null) await change(nameIn(area, "secondFactors.removeTotp"), { body });
      else
        await change(nameIn(area, "secondFactors.removePasskey"), {
          params: { id },
          body,
        });
    },
    onSuccess: useRefreshFactors(),
  });
}

export function useRegenerateRecoveryCodes() {
  const { area } = useContext(Endpoints);
  return useMutation({
    mutationFn: (body: IdentityProof) =>
      change(nameIn(area, "secondFactors.regenerateRecoveryCodes"), { body }),
  });
}
