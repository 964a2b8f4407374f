import { keepPreviousData, useMutation } from "@tanstack/react-query";

import { OPERATED, useInvalidateOperate } from "#app/console/(pages)/operate/companies/queries.ts";
import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";

const REFRESH_MS = 10_000;

export type QueueAnswer = AnswerOf<"queue.get">;
export type QueueRow = QueueAnswer["destinations"][number];
export type Hold = QueueAnswer["holds"][number];
export type Subject = { kind: "destination" | "company"; subject: string };
export type QueuedRecipient = AnswerOf<"queue.listWaiting">["data"][number];

export const QUEUE_SORTS = ["-waiting", "name", "next"] as const;

export const queueQuery = (sort: SortOf<typeof QUEUE_SORTS>) =>
  queryOf(
    "queue.get",
    { query: { sort } },
    { refetchInterval: REFRESH_MS, placeholderData: keepPreviousData },
  );

export const recipientsQuery = (subject: Subject) =>
  queryOf("queue.listWaiting", { query: subject }, { refetchInterval: REFRESH_MS });

/** The page that lists the queued mail of a destination or company. */
export function queueUrl({ kind, subject }: Subject): string {
  return `/console/operate/queue?${new URLSearchParams({ kind, subject }).toString()}`;
}

const hold = (body: Subject & { reason: string }) => change("queue.holdMail", { body });

export const useHoldMail = () => useAction({ call: hold, invalidates: OPERATED });

/** Offers Undo, which puts the mail on hold again. */
export const useReleaseMail = ({ kind, subject, name, reason }: Hold) =>
  useAction({
    call: () =>
      change("queue.releaseMail", {
        body: { kind, subject },
      }),
    invalidates: OPERATED,
    success: `Mail ${kind === "company" ? "from" : "to"} ${name} released`,
    undo: () => hold({ kind, subject, reason }),
  });

export const useRetryMail = () =>
  useAction({
    call: (body: Subject) => change("queue.retryMail", { body }),
    invalidates: OPERATED,
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
        const { dropped, isDone } = await change("queue.dropMail", { body });
        total += dropped;
        onProgress(total);
        if (isDone) return total;
      }
    },
    onSettled,
  });
}
