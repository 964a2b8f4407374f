import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

const REFRESH_MS = 15_000;

export type MailboxOnHold = AnswerOf<"onHold.list">["data"][number];

export const onHoldQuery = queryOf("onHold.list", {}, { refetchInterval: REFRESH_MS });

/** Also refreshes mailboxes, which show whether their mail is on hold. */
export function useRefreshOnHold(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries({
      predicate: ({ queryKey }) =>
        ["onHold", "mailboxes", "mailboxAccess"].includes(String(queryKey[0])),
    });
  };
}

export function useReleaseOnHold(mailbox: string) {
  const onSuccess = useRefreshOnHold();
  return useMutation({
    mutationFn: () =>
      change("onHold.release", {
        params: { mailbox },
      }),
    onSuccess,
  });
}

export const useContainMailbox = (mailbox: string) =>
  useMutation({
    mutationFn: () =>
      change("onHold.containMailbox", {
        params: { mailbox },
      }),
  });
