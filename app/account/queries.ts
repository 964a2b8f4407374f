import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import type {
  FactorEndpoints,
  Identity,
  OwnPassword,
} from "#app/console/second-factors/queries.ts";
import { setSessionExpired } from "#app/console/session-expiry.ts";
import type { StartAtProvider } from "#app/console/single-sign-on/queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import { claimDrafts, clearDrafts } from "#app/console/ui/form/drafts.ts";

import { ACCOUNT_HOME } from "./account-page.ts";

export type MailboxUser = AnswerOf<"account.sessions.getMe">;

export type AppSetUp = AnswerOf<"account.setUp.getSetUp">;

export const mailboxUserQuery = queryOf("account.sessions.getMe", {});

export const appSetUpQuery = queryOf("account.setUp.getSetUp", {}, { staleTime: Infinity });

export const connectQuery = (email: string) =>
  queryOf(
    "account.setUp.getConnect",
    { query: { email } },
    { enabled: email !== "", staleTime: Infinity },
  );

export function useMailboxSignIn() {
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
  const before = queryClient.getQueryData(mailboxUserQuery.queryKey)?.address;
  return useMutation({
    mutationFn: () => read("account.sessions.getMe", {}),
    onSuccess({ address }) {
      if (address !== before) {
        clearDrafts();
        window.location.assign(ACCOUNT_HOME);
        return;
      }
      setSessionExpired(false);
      void queryClient.invalidateQueries();
    },
  });
}

/** Opens the sign-in page. */
export function useMailboxSignOut() {
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

export const useSetLanguage = () =>
  useAction({
    call: (language: MailboxUser["language"]) =>
      change("account.sessions.setLanguage", { body: { language } }),
    invalidates: [mailboxUserQuery.queryKey],
  });

/** Sets the password through a link, and signs in with it. */
export function useSetPasswordByLink(token: string) {
  const signIn = useMailboxSignIn();
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

/** `currentPassword` is null if the identity provider has verified the user instead. */
export type NewPassword = { currentPassword: OwnPassword; password: string };

export function useChangeOwnPassword() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ currentPassword: current, password }: NewPassword) =>
      change("account.sessions.changePassword", {
        body: { ...(current !== null && { currentPassword: current }), password },
      }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
}

const SESSIONS_REFRESH_MS = 10_000;

export type Sessions = AnswerOf<"account.sessions.listSessions">;

export type OwnAppPassword = AnswerOf<"account.appPasswords.list">["data"][number];

export const sessionsQuery = queryOf(
  "account.sessions.listSessions",
  {},
  { refetchInterval: SESSIONS_REFRESH_MS },
);

export const appPasswordsQuery = queryOf("account.appPasswords.list", {});

/** Deleting an app password ends the sessions that use it. */
const invalidates = [sessionsQuery.queryKey, appPasswordsQuery.queryKey];

export const useEndSession = () =>
  useAction({
    call: (id: string) => change("account.sessions.endSession", { params: { id } }),
    invalidates,
  });

export const useEndMailApps = () =>
  useAction({
    call: (clientAddress: string) =>
      change("account.sessions.endMailAppSessions", {
        body: { clientAddress },
      }),
    invalidates,
  });

export const useEndOthers = () =>
  useAction({
    call: () => change("account.sessions.endOtherSessions", {}),
    invalidates,
  });

export const useCreateAppPassword = () =>
  useAction({
    call: (body: Pick<OwnAppPassword, "name" | "scope"> & Identity) =>
      change("account.appPasswords.create", { body }),
    invalidates,
  });

export const useDeleteAppPassword = () =>
  useAction({
    call: (id: string) =>
      change("account.appPasswords.delete", {
        params: { id },
      }),
    invalidates,
  });

const QUARANTINE_REFRESH_MS = 15_000;

export type QuarantineAnswer = AnswerOf<"account.quarantine.list">;

export type QuarantineEntry = QuarantineAnswer["data"][number];

export const ownQuarantineQuery = queryOf(
  "account.quarantine.list",
  {},
  { refetchInterval: QUARANTINE_REFRESH_MS },
);

export const useReleaseOwn = (success: string) =>
  useAction({
    call: ({ id }: QuarantineEntry) =>
      change("account.quarantine.release", {
        params: { id },
      }),
    invalidates: [ownQuarantineQuery.queryKey],
    success,
  });

export type AccountRules = AnswerOf<"account.rules.get">;

export type Filter = AccountRules["filters"][number];

export type VacationFields = NonNullable<AccountRules["vacation"]>;

export const rulesQuery = queryOf("account.rules.get", {});

export const scriptsQuery = queryOf("account.rules.listScripts", {});

/** Every change returns all rules. */
function useSaving<Fields>(save: (fields: Fields) => Promise<AccountRules>, success?: string) {
  const queryClient = useQueryClient();
  return useAction({
    call: save,
    ...(success && { success }),
    invalidates: [rulesQuery.queryKey],
    onDone: (rules) => queryClient.setQueryData(rulesQuery.queryKey, rules),
  });
}

export const useSaveForwarding = () =>
  useSaving((body: Pick<AccountRules, "forwardTo" | "keepCopy"> & Identity) =>
    change("account.rules.saveForwarding", { body }),
  );

export const useResumeForwarding = () =>
  useSaving((address: string) => change("account.rules.resumeForwarding", { body: { address } }));

export const useResendForwardRequest = (success: string) =>
  useSaving(
    (address: string) => change("account.rules.resendForwardRequest", { body: { address } }),
    success,
  );

export const useSaveVacation = () =>
  useSaving((body: VacationFields) => change("account.rules.saveVacation", { body }));

/** The filters that the reader changed, so that a change made meanwhile in another tab isn't lost. */
type FiltersChange = { before: Filter[]; after: Filter[] };

export const useSaveFilters = () =>
  useSaving(({ before, after }: FiltersChange) =>
    change("account.rules.saveFilters", {
      body: { filters: after, expectedFilters: before },
    }),
  );

export const factorsQuery = queryOf("account.secondFactors.get", {});

export const MAILBOX_FACTORS: FactorEndpoints = {
  area: "account",
  affected: [factorsQuery.queryKey],
};

export const confirmWithProvider: StartAtProvider = () =>
  change("account.secondFactors.startProviderConfirmation", {});

const KEPT_MS = 5 * 60_000;

let typed = "";
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keeps the password of a sign-in in memory for some minutes, so that a temporary one isn't asked for twice. */
export function keepTypedPassword(password: string): void {
  clearTimeout(timer);
  typed = password;
  timer = setTimeout(forgetTypedPassword, KEPT_MS);
}

/** "" if it isn't known, for example after a reload. */
export const typedPassword = (): string => typed;

export function forgetTypedPassword(): void {
  clearTimeout(timer);
  typed = "";
}
