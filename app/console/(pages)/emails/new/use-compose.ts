import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

import { newId } from "#app/console/(pages)/emails/new-id.ts";
import { call } from "#app/console/console-client.ts";
import type { composeEmail } from "#server/console/emails/compose-email.ts";

/** An email as it is written here. */
export type Written = {
  from: string;
  to: string[];
  subject: string;
  html?: string;
  text?: string;
  scheduled_at?: string;
  tags?: { name: string; value: string }[];
};

/** Sends what was written. The same text is sent once, however often the request for it has to be made. */
export function useCompose() {
  const queryClient = useQueryClient();
  const attempt = useRef({ id: "", of: "" });
  return useMutation({
    mutationFn: (email: Written) => {
      const of = JSON.stringify(email);
      if (attempt.current.of !== of) attempt.current = { id: newId(), of };
      const query = { attempt: attempt.current.id };
      return call<typeof composeEmail>("POST", "/console/api/emails", { body: email, query });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["emails"] }),
  });
}
