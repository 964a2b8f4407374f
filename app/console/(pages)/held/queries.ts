import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { containMailbox } from "#server/console/held/contain-mailbox.ts";
import type { listHeld } from "#server/console/held/list-held.ts";
import type { releaseHeld } from "#server/console/held/release-held.ts";

const REFRESH_MS = 15_000;

export type HeldMailbox = Answer<typeof listHeld>["data"][number];

export const heldQuery = queryOptions({
  queryKey: ["held"],
  queryFn: () => call<typeof listHeld>("GET", "/console/api/held", {}),
  refetchInterval: REFRESH_MS,
});

/** Reads anew what is held, and what mailboxes say of it. */
export function useHeldChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries({
      predicate: ({ queryKey }) => ["held", "mailboxes", "mailbox"].includes(String(queryKey[0])),
    });
  };
}

export function useRelease(mailbox: string) {
  const onSuccess = useHeldChanged();
  return useMutation({
    mutationFn: () =>
      call<typeof releaseHeld>("POST", "/console/api/held/{mailbox}/release", {
        params: { mailbox },
      }),
    onSuccess,
  });
}

export const useContain = (mailbox: string) =>
  useMutation({
    mutationFn: () =>
      call<typeof containMailbox>("POST", "/console/api/held/{mailbox}/contain", {
        params: { mailbox },
      }),
  });
