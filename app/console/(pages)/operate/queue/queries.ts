import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useInvalidateOperate } from "#app/console/(pages)/operate/companies/queries.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { dropMail } from "#server/console/operate/queue/drop-mail.ts";
import type { getQueue } from "#server/console/operate/queue/get-queue.ts";
import type { holdMail } from "#server/console/operate/queue/hold-mail.ts";
import type { listWaiting } from "#server/console/operate/queue/list-waiting.ts";
import type { releaseMail } from "#server/console/operate/queue/release-mail.ts";
import type { retryMail } from "#server/console/operate/queue/retry-mail.ts";

const REFRESH_MS = 10_000;

export type Queue = Answer<typeof getQueue>;
export type QueueRow = Queue["destinations"][number];
export type Hold = Queue["holds"][number];
export type Subject = { kind: "destination" | "company"; subject: string };
export type QueuedRecipient = Answer<typeof listWaiting>["data"][number];

export const QUEUE_SORTS = ["-waiting", "name", "next"] as const;

export const queueQuery = (sort: SortOf<typeof QUEUE_SORTS>) =>
  queryOptions({
    queryKey: ["operate", "queue", "overview", sort],
    queryFn: () => call<typeof getQueue>("GET", "/console/api/operate/queue", { query: { sort } }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const recipientsQuery = (subject: Subject) =>
  queryOptions({
    queryKey: ["operate", "queue", subject],
    queryFn: () =>
      call<typeof listWaiting>("GET", "/console/api/operate/queue/waiting", { query: subject }),
    refetchInterval: REFRESH_MS,
  });

const hold = (body: Subject & { reason: string }) =>
  call<typeof holdMail>("POST", "/console/api/operate/queue/holds", { body });

export const useHoldMail = () => useAction({ call: hold, invalidates: [["operate"]] });

/** Offers Undo, which puts the mail on hold again. */
export const useReleaseMail = ({ kind, subject, name, reason }: Hold) =>
  useAction({
    call: () =>
      call<typeof releaseMail>("POST", "/console/api/operate/queue/release", {
        body: { kind, subject },
      }),
    invalidates: [["operate"]],
    success: `Mail ${kind === "company" ? "from" : "to"} ${name} released`,
    undo: () => hold({ kind, subject, reason }),
  });

export const useRetryMail = () =>
  useAction({
    call: (body: Subject) =>
      call<typeof retryMail>("POST", "/console/api/operate/queue/retry", { body }),
    invalidates: [["operate"]],
    success: ({ recipients }) =>
      recipients === 0
        ? "No mail is waiting for a retry"
        : `Retrying mail for ${pluralize(recipients, "recipient")}`,
  });

/** Drops all mail on hold in batches. */
export function useDropMail(onProgress: (dropped: number) => void) {
  const onSettled = useInvalidateOperate();
  return useMutation({
    async mutationFn(body: Subject) {
      let total = 0;
      for (;;) {
        const { dropped, is_done: isDone } = await call<typeof dropMail>(
          "POST",
          "/console/api/operate/queue/drop",
          { body },
        );
        total += dropped;
        onProgress(total);
        if (isDone) return total;
      }
    },
    onSettled,
  });
}
