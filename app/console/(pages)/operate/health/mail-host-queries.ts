import { useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { OPERATE_KEYS } from "#app/console/(pages)/operate/companies/queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";

const REFRESH_MS = 5_000;
const IDLE_REFRESH_MS = 30_000;

type MailHosts = AnswerOf<"mailHosts.list">;
export type MailHost = MailHosts["data"][number];
export type MailboxMove = MailHosts["moves"][number];
type MailboxHost = AnswerOf<"mailHosts.getMailboxHost">;

export const mailHostsQuery = queryOf("mailHosts.list", {}, { refetchInterval: REFRESH_MS });

export const mailboxHostQuery = (address: string) =>
  queryOf(
    "mailHosts.getMailboxHost",
    {
      params: { email: address },
    },
    {
      refetchInterval: ({ state: { data } }: { state: { data?: MailboxHost | undefined } }) =>
        data?.move ? REFRESH_MS : IDLE_REFRESH_MS,
    },
  );

/** Moves a mailbox, or cancels that by naming the host that it is on. */
export function useMoveMailbox() {
  const queryClient = useQueryClient();
  return useAction({
    call: ({ address, host }: { address: string; host: string }) =>
      change("mailHosts.changeMailboxHost", {
        params: { email: address },
        body: { mailHost: host },
      }),
    invalidates: OPERATE_KEYS,
    onDone: (changed) => queryClient.setQueryData(mailboxHostQuery(changed.id).queryKey, changed),
  });
}
