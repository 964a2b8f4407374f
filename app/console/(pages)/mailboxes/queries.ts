import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change, type InputOf } from "#app/console/console-client.ts";
import { listOf, queryOf } from "#app/console/endpoint-queries.ts";
import { DELETED_KEYS, restoreItem } from "#app/console/(pages)/deleted/queries.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 50;

export type MailboxRow = AnswerOf<"mailboxes.list">["data"][number];
export type MailboxDetail = AnswerOf<"mailboxes.get">;
export type MailboxOptions = AnswerOf<"mailboxes.getOptions">;

type MailboxQuery = NonNullable<InputOf<"mailboxes.list">["query"]>;

export const MAILBOX_SORTS = ["address", "name", "storage", "sign_in"] as const;

export type MailboxFilters = {
  search?: string;
  domain?: string;
  status?: NonNullable<MailboxQuery["status"]>;
  /** Unit ID; includes subunits. */
  unit?: string;
};

export type NewMailbox = {
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

export const mailboxesQuery = (
  place: PageCursor,
  filters: MailboxFilters,
  sort: SortOf<typeof MAILBOX_SORTS>,
) => listOf("mailboxes.list", { ...place, ...filters, sort, rows: ROWS_PER_PAGE });

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
    mutationFn: (body: NewMailbox) => change("mailboxes.create", { body }),
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

/** Offers Undo, which restores the mailbox. */
export function useDeleteMailbox(address: string) {
  const forgetList = useForgetMailboxes();
  return useAction({
    call: () =>
      change("mailboxes.delete", {
        params: { email: address },
      }),
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
