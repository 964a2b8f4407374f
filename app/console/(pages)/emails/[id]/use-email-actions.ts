import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

import { randomUuid } from "#app/console/(pages)/emails/random-uuid.ts";
import { change } from "#app/console/console-client.ts";

/** Refetches the email and the lists after an action. */
function useInvalidateEmail(id: string) {
  const queryClient = useQueryClient();
  const params = { id };
  return () =>
    Promise.all(
      [
        ["emails", "list"],
        ["emails", "get", { params }],
        ["emails", "listEvents", { params }],
      ].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
}

export function useCancelEmail(id: string) {
  const onSettled = useInvalidateEmail(id);
  return useMutation({
    mutationFn: () => change("emails.cancel", { params: { id } }),
    onSettled,
  });
}

export function useRescheduleEmail(id: string) {
  const onSettled = useInvalidateEmail(id);
  return useMutation({
    mutationFn: (scheduledAt: string) =>
      change("emails.reschedule", {
        params: { id },
        body: { scheduledAt },
      }),
    onSettled,
  });
}

/** Resends the email. A repeated request reuses the attempt's ID until it succeeds, so it never sends twice. */
export function useResendEmail(id: string) {
  const onSettled = useInvalidateEmail(id);
  const attempt = useRef<string | null>(null);
  return useMutation({
    mutationFn: () =>
      change("emails.resend", {
        params: { id },
        query: { attempt: (attempt.current ??= randomUuid()) },
      }),
    onSuccess: () => {
      attempt.current = null;
    },
    onSettled,
  });
}
