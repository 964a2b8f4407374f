import { type AnswerOf, change } from "#app/console/console-client.ts";

export type SetUp = AnswerOf<"mailboxes.readSetUps">["data"][number];

/** The server's limit per request. */
export const SHEETS_MAX = 100;

/** Omits mailboxes the admin has no access to. */
export async function fetchSetUps(emails: string[]): Promise<SetUp[]> {
  const { data } = await change("mailboxes.readSetUps", {
    body: { emails },
  });
  return data;
}
