import { type Answer, call } from "#app/console/console-client.ts";
import type { addAlias } from "#server/console/mailboxes/add-alias.ts";
import type { checkImport } from "#server/console/mailboxes/check-import.ts";
import type { createMailbox } from "#server/console/mailboxes/create-mailbox.ts";

import type { ImportLine } from "./parse-list.ts";

export type Checked = Answer<typeof checkImport>;
export type CheckedLine = Checked["lines"][number];

/** Validates the lines on the server; creates nothing. */
export const checkLines = (lines: ImportLine[]) =>
  call<typeof checkImport>("POST", "/console/api/mailbox-imports/check", { body: { lines } });

export type ImportResult = {
  /** Null for a mailbox that already existed. */
  password: string | null;
  /** Aliases that couldn't be added, with the reason. */
  aliasProblems: string[];
};

/**
 * Creates the mailbox unless it exists, then adds missing aliases. A failed alias doesn't undo the
 * mailbox.
 */
export async function importLine(name: string, line: CheckedLine): Promise<ImportResult> {
  const email = line.email!;
  const password = line.outcome === "exists" ? null : await create(name, line);
  const aliasProblems: string[] = [];
  for (const address of line.aliases)
    try {
      await call<typeof addAlias>("POST", "/console/api/mailboxes/{email}/aliases", {
        params: { email },
        body: { address },
      });
    } catch (error) {
      aliasProblems.push(`${address}: ${(error as Error).message}`);
    }
  return { password, aliasProblems };
}

async function create(
  name: string,
  { email, quota_mb: quota, unit }: CheckedLine,
): Promise<string> {
  const { temporary_password: password } = await call<typeof createMailbox>(
    "POST",
    "/console/api/mailboxes",
    {
      body: {
        ...{ email: email!, name },
        ...(quota !== null && { quota_mb: quota }),
        ...(unit !== null && { org_unit_id: unit.id }),
      },
    },
  );
  return password;
}
