import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { DELETED_KEYS, restoreItem } from "#app/console/(pages)/deleted/queries.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/use-action.ts";
import type { addAlias } from "#server/console/mailboxes/add-alias.ts";
import type { createMailbox } from "#server/console/mailboxes/create-mailbox.ts";
import type { deleteMailbox } from "#server/console/mailboxes/delete-mailbox.ts";
import type { getMailboxOptions } from "#server/console/mailboxes/get-mailbox-options.ts";
import type { getMailbox } from "#server/console/mailboxes/get-mailbox.ts";
import type { listMailboxes } from "#server/console/mailboxes/list-mailboxes.ts";
import type { removeAlias } from "#server/console/mailboxes/remove-alias.ts";
import type { resetSecondFactor } from "#server/console/mailboxes/reset-second-factor.ts";
import type { resetPassword } from "#server/console/mailboxes/reset-password.ts";
import type { updateMailbox } from "#server/console/mailboxes/update-mailbox.ts";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 50;

export type MailboxRow = Answer<typeof listMailboxes>["data"][number];
export type MailboxDetail = Answer<typeof getMailbox>;
export type MailboxOptions = Answer<typeof getMailboxOptions>;

type MailboxQuery = NonNullable<Parameters<typeof call<typeof listMailboxes>>[2]["query"]>;

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
  quota_mb?: number;
  org_unit_id?: number;
  aliases?: string[];
  groups?: string[];
  /** A private address for sign-in instructions, instead of a temporary password. */
  instructions_to?: string;
};

type MailboxChange = {
  name?: string;
  quota_mb?: number;
  active?: boolean;
  force_password_change?: boolean;
  org_unit_id?: number;
};

export const mailboxesQuery = (
  place: PageCursor,
  filters: MailboxFilters,
  sort: SortOf<typeof MAILBOX_SORTS>,
) =>
  queryOptions({
    queryKey: ["mailboxes", place, filters, sort],
    queryFn: () =>
      call<typeof listMailboxes>("GET", "/console/api/mailboxes", {
        query: { ...place, ...filters, sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const mailboxQuery = (address: string) =>
  queryOptions({
    queryKey: ["mailbox", address],
    queryFn: () =>
      call<typeof getMailbox>("GET", "/console/api/mailboxes/{email}", {
        params: { email: address },
      }),
    refetchInterval: REFRESH_MS,
  });

export const mailboxOptionsQuery = queryOptions({
  queryKey: ["mailbox options"],
  queryFn: () => call<typeof getMailboxOptions>("GET", "/console/api/mailbox-options", {}),
});

export function useCreateMailbox() {
  const onSuccess = useForgetMailboxes();
  return useMutation({
    mutationFn: (body: NewMailbox) =>
      call<typeof createMailbox>("POST", "/console/api/mailboxes", { body }),
    onSuccess,
  });
}

/** Drops the cached list, so that it never shows stale rows first. */
function useForgetMailboxes(): () => void {
  const queryClient = useQueryClient();
  return () => queryClient.removeQueries({ queryKey: ["mailboxes"] });
}

function useRefreshMailbox(address: string): () => Promise<void> {
  const queryClient = useQueryClient();
  const forgetList = useForgetMailboxes();
  return () => {
    forgetList();
    return queryClient.invalidateQueries({ queryKey: ["mailbox", address] });
  };
}

export function useUpdateMailbox(address: string) {
  const queryClient = useQueryClient();
  const forgetList = useForgetMailboxes();
  return useAction({
    call: (body: MailboxChange) =>
      call<typeof updateMailbox>("PATCH", "/console/api/mailboxes/{email}", {
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
      call<typeof deleteMailbox>("DELETE", "/console/api/mailboxes/{email}", {
        params: { email: address },
      }),
    invalidates: DELETED_KEYS,
    success: `${address} deleted`,
    undo: (_, { deleted_id: id }) => restoreItem(id),
    onDone: forgetList,
  });
}

export function useResetPassword(address: string) {
  const onSuccess = useRefreshMailbox(address);
  return useMutation({
    mutationFn: (body: { keep_app_passwords: boolean }) =>
      call<typeof resetPassword>("POST", "/console/api/mailboxes/{email}/password", {
        ...{ params: { email: address }, body },
      }),
    onSuccess,
  });
}

export function useResetSecondFactor(address: string) {
  const onSuccess = useRefreshMailbox(address);
  return useMutation({
    mutationFn: () =>
      call<typeof resetSecondFactor>("DELETE", "/console/api/mailboxes/{email}/second-factor", {
        params: { email: address },
      }),
    onSuccess,
  });
}

export function useAddAlias(address: string) {
  const onSuccess = useRefreshMailbox(address);
  return useMutation({
    mutationFn: (alias: string) =>
      call<typeof addAlias>("POST", "/console/api/mailboxes/{email}/aliases", {
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
      call<typeof removeAlias>("DELETE", "/console/api/mailboxes/{email}/aliases/{address}", {
        params: { ...params, address: alias },
      }),
    invalidates: [["mailbox", address], ["deleted"]],
    success: (_, alias) => `${alias} removed`,
    undo: (alias) =>
      call<typeof addAlias>("POST", "/console/api/mailboxes/{email}/aliases", {
        params,
        body: { address: alias },
      }),
    onDone: forgetList,
  });
}
