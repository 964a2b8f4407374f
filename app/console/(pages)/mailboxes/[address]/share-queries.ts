import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { listShares } from "#server/console/mailboxes/list-shares.ts";
import type { removeShare } from "#server/console/mailboxes/remove-share.ts";
import type { setShare } from "#server/console/mailboxes/set-share.ts";

export type Share = Answer<typeof listShares>["data"][number];

export const sharesQuery = (email: string) =>
  queryOptions({
    queryKey: ["mailbox", email, "shares"],
    queryFn: () =>
      call<typeof listShares>("GET", "/console/api/mailboxes/{email}/shares", {
        params: { email },
      }),
  });

type NewShare = Pick<Share, "member" | "access" | "send_as">;

const share = (email: string, body: NewShare) =>
  call<typeof setShare>("POST", "/console/api/mailboxes/{email}/shares", {
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
      call<typeof removeShare>("DELETE", "/console/api/mailboxes/{email}/shares/{address}", {
        params: { email, address: member },
      }),
    invalidates: [sharesQuery(email).queryKey],
    success: (_, { member }) => `No longer shared with ${member}`,
    undo: ({ member, access, send_as }) => share(email, { member, access, send_as }),
  });
