import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

import { randomUuid } from "#app/console/(pages)/emails/random-uuid.ts";
import { call } from "#app/console/console-client.ts";
import type { composeEmail } from "#server/console/emails/compose-email.ts";

export type ComposedEmail = {
  from: string;
  to: string[];
  subject: string;
  html?: string;
  text?: string;
  scheduled_at?: string;
  tags?: { name: string; value: string }[];
};

/** Sends the email. Repeated requests with the same content share an attempt ID, so it's sent only once. */
export function useSendEmail() {
  const queryClient = useQueryClient();
  const attempt = useRef({ id: "", of: "" });
  return useMutation({
    mutationFn: (email: ComposedEmail) => {
      const of = JSON.stringify(email);
      if (attempt.current.of !== of) attempt.current = { id: randomUuid(), of };
      const query = { attempt: attempt.current.id };
      return call<typeof composeEmail>("POST", "/console/api/emails", { body: email, query });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["emails"] }),
  });
}
