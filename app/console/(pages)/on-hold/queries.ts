import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { containMailbox } from "#server/console/on-hold/contain-mailbox.ts";
import type { listOnHold } from "#server/console/on-hold/list-on-hold.ts";
import type { releaseOnHold } from "#server/console/on-hold/release-on-hold.ts";

const REFRESH_MS = 15_000;

export type MailboxOnHold = Answer<typeof listOnHold>["data"][number];

export const onHoldQuery = queryOptions({
  queryKey: ["on-hold"],
  queryFn: () => call<typeof listOnHold>("GET", "/console/api/on-hold", {}),
  refetchInterval: REFRESH_MS,
});

/** Also refreshes mailboxes, which show whether their mail is on hold. */
export function useRefreshOnHold(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries({
      predicate: ({ queryKey }) =>
        ["on-hold", "mailboxes", "mailbox"].includes(String(queryKey[0])),
    });
  };
}

export function useReleaseOnHold(mailbox: string) {
  const onSuccess = useRefreshOnHold();
  return useMutation({
    mutationFn: () =>
      call<typeof releaseOnHold>("POST", "/console/api/on-hold/{mailbox}/release", {
        params: { mailbox },
      }),
    onSuccess,
  });
}

export const useContainMailbox = (mailbox: string) =>
  useMutation({
    mutationFn: () =>
      call<typeof containMailbox>("POST", "/console/api/on-hold/{mailbox}/contain", {
        params: { mailbox },
      }),
  });
