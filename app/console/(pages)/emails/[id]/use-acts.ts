import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

import { newId } from "#app/console/(pages)/emails/new-id.ts";
import { call } from "#app/console/console-client.ts";
import type { cancelEmail } from "#server/console/emails/cancel-email.ts";
import type { rescheduleEmail } from "#server/console/emails/reschedule-email.ts";
import type { resendEmail } from "#server/console/emails/resend-email.ts";

/** After an act the email and the lists it is in are read anew. */
function useFreshEmail(id: string) {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ["email", id] }),
      queryClient.invalidateQueries({ queryKey: ["emails"] }),
    ]);
}

export function useCancel(id: string) {
  const onSettled = useFreshEmail(id);
  return useMutation({
    mutationFn: () =>
      call<typeof cancelEmail>("POST", "/console/api/emails/{id}/cancel", { params: { id } }),
    onSettled,
  });
}

export function useReschedule(id: string) {
  const onSettled = useFreshEmail(id);
  return useMutation({
    mutationFn: (scheduledAt: string) =>
      call<typeof rescheduleEmail>("PATCH", "/console/api/emails/{id}", {
        params: { id },
        body: { scheduled_at: scheduledAt },
      }),
    onSettled,
  });
}

/** Sends once for each time it is asked, however often the request for it has to be made. */
export function useResend(id: string) {
  const onSettled = useFreshEmail(id);
  const attempt = useRef<string | null>(null);
  return useMutation({
    mutationFn: () =>
      call<typeof resendEmail>("POST", "/console/api/emails/{id}/resend", {
        params: { id },
        query: { attempt: (attempt.current ??= newId()) },
      }),
    onSuccess: () => {
      attempt.current = null;
    },
    onSettled,
  });
}
