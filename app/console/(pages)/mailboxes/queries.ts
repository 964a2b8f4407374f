import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { DELETED_KEYS, restoreItem } from "#app/console/(pages)/deleted/restore.ts";
import { type AnswerOf, change, type InputOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";

const REFRESH_MS = 15_000;

export type MailboxRow = AnswerOf<"mailboxes.list">["data"][number];

export type MailboxDetail = AnswerOf<"mailboxes.get">;

export type MailboxOptions = AnswerOf<"mailboxes.getOptions">;

export type MailboxToCreate = {
  email: string;
  name: string;
  quotaMb?: number;
  orgUnitId?: number;
  aliases?: string[];
  groups?: string[];
  /** A private address for sign-in instructions, instead of a temporary password. */
  instructionsTo?: string;
};

type MailboxChange = {
  name?: string;
  quotaMb?: number;
  active?: boolean;
  forcePasswordChange?: boolean;
  orgUnitId?: number;
};

export const mailboxQuery = (address: string) =>
  queryOf(
    "mailboxes.get",
    {
      params: { email: address },
    },
    { refetchInterval: REFRESH_MS },
  );

export const mailboxOptionsQuery = queryOf("mailboxes.getOptions", {});

export function useCreateMailbox() {
  const onSuccess = useForgetMailboxes();
  return useMutation({
    mutationFn: (body: MailboxToCreate) => change("mailboxes.create", { body }),
    onSuccess,
  });
}

/** Drops the cached list, so that it never shows stale rows first. */
function useForgetMailboxes(): () => void {
  const queryClient = useQueryClient();
  return () => queryClient.removeQueries({ queryKey: ["mailboxes", "list"] });
}

/** What the pages of a mailbox show. */
const mailboxKeys = (address: string) => [
  mailboxQuery(address).queryKey,
  ["mailboxAccess"],
  ["mailboxes", "readSetUps"],
];

function useRefreshMailbox(address: string): () => Promise<unknown> {
  const queryClient = useQueryClient();
  const forgetList = useForgetMailboxes();
  return () => {
    forgetList();
    return Promise.all(
      mailboxKeys(address).map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
  };
}

export function useUpdateMailbox(address: string) {
  const queryClient = useQueryClient();
  const forgetList = useForgetMailboxes();
  return useAction({
    call: (body: MailboxChange) =>
      change("mailboxes.update", {
        params: { email: address },
        body,
      }),
    onDone(changed) {
      forgetList();
      queryClient.setQueryData(mailboxQuery(address).queryKey, changed);
    },
  });
}

export function useRenameMailbox(address: string) {
  const forgetList = useForgetMailboxes();
  return useAction({
    call: (to: string) =>
      change("mailboxes.rename", { params: { email: address }, body: { address: to } }),
    success: ({ id }) => `Address changed to ${id}`,
    onDone: forgetList,
  });
}

/** @param deliverTo the mailbox that gets its mail; "" for none */
export const removeMailbox = (email: string, deliverTo: string) =>
  change("mailboxes.delete", { params: { email }, body: deliverTo === "" ? {} : { deliverTo } });

/** Offers Undo, which restores the mailbox. */
export function useDeleteMailbox(address: string) {
  const forgetList = useForgetMailboxes();
  return useAction({
    call: (deliverTo: string) => removeMailbox(address, deliverTo),
    invalidates: DELETED_KEYS,
    success: `${address} deleted`,
    undo: (_, { deletedId: id }) => restoreItem(id),
    onDone: forgetList,
  });
}

export function useResetPassword(address: string) {
  const onSuccess = useRefreshMailbox(address);
  return useMutation({
    mutationFn: (body: { keepAppPasswords: boolean }) =>
      change("mailboxAccess.resetPassword", {
        params: { email: address },
        body,
      }),
    onSuccess,
  });
}

export function useResetSecondFactor(address: string) {
  const onSuccess = useRefreshMailbox(address);
  return useMutation({
    mutationFn: () =>
      change("mailboxAccess.resetSecondFactor", {
        params: { email: address },
      }),
    onSuccess,
  });
}

export function useAddAlias(address: string) {
  const onSuccess = useRefreshMailbox(address);
  return useMutation({
    mutationFn: (alias: string) =>
      change("mailboxAccess.addAlias", {
        params: { email: address },
        body: { address: alias },
      }),
    onSuccess,
  });
}

/** Offers Undo, which adds the alias again. */
export function useRemoveAlias(address: string) {
  const forgetList = useForgetMailboxes();
  const params = { email: address };
  return useAction({
    call: (alias: string) =>
      change("mailboxAccess.removeAlias", {
        params: { ...params, address: alias },
      }),
    invalidates: [...mailboxKeys(address), ["deletedItems"]],
    success: (_, alias) => `${alias} removed`,
    undo: (alias) =>
      change("mailboxAccess.addAlias", {
        params,
        body: { address: alias },
      }),
    onDone: forgetList,
  });
}

const ACCESS_REFRESH_MS = 15_000;

export type Access = AnswerOf<"mailboxAccess.getAccess">;

export type EffectiveSettings = AnswerOf<"mailboxAccess.getEffectiveSettings">;

export const accessQuery = (email: string) =>
  queryOf("mailboxAccess.getAccess", { params: { email } }, { refetchInterval: ACCESS_REFRESH_MS });

export const effectiveSettingsQuery = (email: string) =>
  queryOf("mailboxAccess.getEffectiveSettings", {
    params: { email },
  });

/** @param email the mailbox whose forwarding or automatic reply changes */
export const useSaveRules = (email: string) =>
  useAction({
    call: (body: InputOf<"mailboxAccess.saveRules">["body"]) =>
      change("mailboxAccess.saveRules", { params: { email }, body }),
    invalidates: [effectiveSettingsQuery(email).queryKey],
  });

export const mailboxSetUpQuery = (email: string) =>
  queryOptions({
    queryKey: ["mailboxes", "readSetUps", email],
    queryFn: async () => (await fetchSetUps([email]))[0] ?? null,
  });

/** One browser session, the mail app sessions of one address, or all if empty. */
export type SessionsToEnd = { browser?: string; mailAppsFrom?: string };

export const useEndSessions = (email: string) =>
  useAction({
    call: (body: SessionsToEnd) =>
      change("mailboxAccess.endSessions", {
        params: { email },
        body,
      }),
    invalidates: [accessQuery(email).queryKey],
    success: (_, { browser, mailAppsFrom: from }) =>
      browser === undefined && from === undefined ? "All sessions ended" : "Session ended",
  });

export const useUnlinkMailbox = (email: string) =>
  useAction({
    call: () =>
      change("mailboxAccess.unlink", {
        params: { email },
      }),
    invalidates: [accessQuery(email).queryKey],
    success: `${email} unlinked`,
  });

export function useRevokeAppPassword(email: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      change("mailboxAccess.revokeAppPassword", {
        params: { email, id },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: accessQuery(email).queryKey }),
  });
}

export function useResendPasswordLink(email: string) {
  const queryClient = useQueryClient();
  return async (to: string) => {
    const sent = await change("mailboxAccess.resendPasswordLink", {
      params: { email },
      body: { to },
    });
    void queryClient.invalidateQueries({ queryKey: accessQuery(email).queryKey });
    return sent;
  };
}

export type Share = AnswerOf<"mailboxAccess.listShares">["data"][number];

export const sharesQuery = (email: string) =>
  queryOf("mailboxAccess.listShares", {
    params: { email },
  });

type NewShare = Pick<Share, "member" | "access" | "sendAs">;

const share = (email: string, body: NewShare) =>
  change("mailboxAccess.setShare", {
    params: { email },
    body,
  });

export const useSetShare = (email: string) =>
  useAction({
    call: (body: NewShare) => share(email, body),
    invalidates: [sharesQuery(email).queryKey],
    success: ({ member }) => `Shared with ${member}`,
  });

export const useRemoveShare = (email: string) =>
  useAction({
    call: ({ member }: Share) =>
      change("mailboxAccess.removeShare", {
        params: { email, address: member },
      }),
    invalidates: [sharesQuery(email).queryKey],
    success: (_, { member }) => `No longer shared with ${member}`,
    undo: ({ member, access, sendAs }) => share(email, { member, access, sendAs }),
  });

export type SetUp = AnswerOf<"mailboxes.readSetUps">["data"][number];

/** The server's limit per request. */
export const SHEETS_MAX = 100;

/** Omits mailboxes the admin has no access to. */
export async function fetchSetUps(emails: string[]): Promise<SetUp[]> {
  const { data } = await change("mailboxes.readSetUps", {
    body: { emails },
  });
  return data;
}
