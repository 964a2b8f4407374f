import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

import { randomUuid } from "#app/console/(pages)/emails/random-uuid.ts";
import { call } from "#app/console/console-client.ts";
import type { cancelEmail } from "#server/console/emails/cancel-email.ts";
import type { rescheduleEmail } from "#server/console/emails/reschedule-email.ts";
import type { resendEmail } from "#server/console/emails/resend-email.ts";

/** Refetches the email and the lists after an action. */
function useInvalidateEmail(id: string) {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ["email", id] }),
      queryClient.invalidateQueries({ queryKey: ["emails"] }),
    ]);
}

export function useCancelEmail(id: string) {
  const onSettled = useInvalidateEmail(id);
  return useMutation({
    mutationFn: () =>
      call<typeof cancelEmail>("POST", "/console/api/emails/{id}/cancel", { params: { id } }),
    onSettled,
  });
}

export function useRescheduleEmail(id: string) {
  const onSettled = useInvalidateEmail(id);
  return useMutation({
    mutationFn: (scheduledAt: string) =>
      call<typeof rescheduleEmail>("PATCH", "/console/api/emails/{id}", {
        params: { id },
        body: { scheduled_at: scheduledAt },
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
      call<typeof resendEmail>("POST", "/console/api/emails/{id}/resend", {
        params: { id },
        query: { attempt: (attempt.current ??= randomUuid()) },
      }),
    onSuccess: () => {
      attempt.current = null;
    },
    onSettled,
  });
}
