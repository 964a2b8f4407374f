import { queryOptions, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { changeMailboxHost } from "#server/console/operate/mail-hosts/change-mailbox-host.ts";
import type { getMailboxHost } from "#server/console/operate/mail-hosts/get-mailbox-host.ts";
import type { listMailHosts } from "#server/console/operate/mail-hosts/list-mail-hosts.ts";

const REFRESH_MS = 5_000;
const IDLE_REFRESH_MS = 30_000;

type MailHosts = Answer<typeof listMailHosts>;
export type MailHost = MailHosts["data"][number];
export type MailboxMove = MailHosts["moves"][number];
type MailboxHost = Answer<typeof getMailboxHost>;

export const mailHostsQuery = queryOptions({
  queryKey: ["operate", "mail hosts"],
  queryFn: () => call<typeof listMailHosts>("GET", "/console/api/operate/mail-hosts", {}),
  refetchInterval: REFRESH_MS,
});

export const mailboxHostQuery = (address: string) =>
  queryOptions({
    queryKey: ["operate", "mail hosts", address],
    queryFn: () =>
      call<typeof getMailboxHost>("GET", "/console/api/operate/mailboxes/{email}/mail-host", {
        params: { email: address },
      }),
    refetchInterval: ({ state: { data } }: { state: { data?: MailboxHost | undefined } }) =>
      data?.move ? REFRESH_MS : IDLE_REFRESH_MS,
  });

/** Moves a mailbox, or cancels that by naming the host that it is on. */
export function useMoveMailbox() {
  const queryClient = useQueryClient();
  return useAction({
    call: ({ address, host }: { address: string; host: string }) =>
      call<typeof changeMailboxHost>("POST", "/console/api/operate/mailboxes/{email}/mail-host", {
        params: { email: address },
        body: { mail_host: host },
      }),
    invalidates: [["operate"]],
    onDone: (changed) => queryClient.setQueryData(mailboxHostQuery(changed.id).queryKey, changed),
  });
}
