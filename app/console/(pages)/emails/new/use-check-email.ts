import { useState } from "react";

import { type Answer, call } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { checkEmail } from "#server/console/emails/check-email.ts";

import type { ComposedEmail } from "./compose-values.ts";

export type EmailCheck = Answer<typeof checkEmail>;

/** Checks the email as it is now. The result stays until the next check. */
export function useCheckEmail(compose: () => Promise<ComposedEmail>) {
  const [result, setResult] = useState<EmailCheck | null>(null);
  const { start, isPending } = useAction({
    call: async () =>
      call<typeof checkEmail>("POST", "/console/api/emails/check", { body: await compose() }),
    onDone: setResult,
  });
  return { result, start, isPending };
}
