import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { change } from "#app/console/console-client.ts";

import type { ComposedEmail } from "./new/compose-values.ts";
import { randomUuid } from "./random-uuid.ts";

/**
 * Sends the email. Repeated requests with the same content share an attempt ID, so it's sent only once.
 *
 * @returns `progress`: the uploaded part, from 0 to 1; null while nothing is sent
 */
export function useSendEmail() {
  const queryClient = useQueryClient();
  const attempt = useRef({ id: "", of: "" });
  const [progress, setProgress] = useState<number | null>(null);

  async function send(email: ComposedEmail) {
    const of = JSON.stringify(email);
    if (attempt.current.of !== of) attempt.current = { id: randomUuid(), of };
    const query = { attempt: attempt.current.id };
    setProgress(0);
    try {
      return await change("emails.compose", { body: email, query }, { onProgress: setProgress });
    } finally {
      setProgress(null);
      void queryClient.invalidateQueries({ queryKey: ["emails", "list"] });
    }
  }

  return { send, progress };
}
