import { type Answer, call } from "#app/console/console-client.ts";
import type { readSetUps } from "#server/console/mailboxes/read-set-ups.ts";

export type SetUp = Answer<typeof readSetUps>["data"][number];

/** As many as the server tells at once. */
export const SHEETS_MAX = 100;

/** How mailboxes are connected; those that the person may not hand over are missing. */
export async function fetchSetUps(emails: string[]): Promise<SetUp[]> {
  const { data } = await call<typeof readSetUps>("POST", "/console/api/mailbox-set-ups", {
    body: { emails },
  });
  return data;
}
