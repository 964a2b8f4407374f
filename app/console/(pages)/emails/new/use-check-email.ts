import { useState } from "react";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/actions.tsx";

import type { ComposedEmail } from "./compose-values.ts";

export type EmailCheck = AnswerOf<"emails.check">;

/** Checks the email as it is now. The result stays until the next check. */
export function useCheckEmail(compose: () => Promise<ComposedEmail>) {
  const [result, setResult] = useState<EmailCheck | null>(null);
  const { start, isPending } = useAction({
    call: async () => change("emails.check", { body: await compose() }),
    onDone: setResult,
  });
  return { result, start, isPending };
}
