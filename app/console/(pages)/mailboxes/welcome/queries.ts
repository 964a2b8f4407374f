import { type Answer, call } from "#app/console/console-client.ts";
import type { readSetUps } from "#server/console/mailboxes/read-set-ups.ts";

export type SetUp = Answer<typeof readSetUps>["data"][number];

/** The server's limit per request. */
export const SHEETS_MAX = 100;

/** Omits mailboxes the admin has no access to. */
export async function fetchSetUps(emails: string[]): Promise<SetUp[]> {
  const { data } = await call<typeof readSetUps>("POST", "/console/api/mailbox-set-ups", {
    body: { emails },
  });
  return data;
}
