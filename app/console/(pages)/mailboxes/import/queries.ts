import { resetMailboxPassword } from "#app/console/(pages)/mailboxes/bulk-actions/bulk-actions.ts";
import { type AnswerOf, ConsoleError, change, read } from "#app/console/console-client.ts";

import type { NumberedLine } from "./parse-list.ts";

export type Checked = AnswerOf<"mailboxes.checkImport">;
export type CheckedLine = Checked["lines"][number];

/** Whether the other system lists the user as suspended or archived. */
export const isInactive = ({ problems }: CheckedLine): boolean =>
  problems.some(({ field }) => field === "status");

/** Validates the lines on the server; creates nothing. */
export const checkLines = (lines: NumberedLine[]) =>
  change("mailboxes.checkImport", { body: { lines } });

export type ImportResult = {
  /** Null for a mailbox that already existed. */
  password: string | null;
  /** Aliases that couldn't be added, with the reason. */
  aliasProblems: string[];
};

/**
 * Creates the mailbox unless it exists, then adds missing aliases. A failed alias doesn't undo the
 * mailbox.
 *
 * @param unanswered addresses whose creation got no answer; kept between attempts
 */
export async function importLine(
  name: string,
  line: CheckedLine,
  unanswered: Set<string>,
): Promise<ImportResult> {
  const email = line.email!;
  const password = line.outcome === "exists" ? null : await createOrRecover(name, line, unanswered);
  const aliasProblems: string[] = [];
  for (const address of line.aliases)
    try {
      await change("mailboxAccess.addAlias", {
        params: { email },
        body: { address },
      });
    } catch (error) {
      aliasProblems.push(`${address}: ${(error as Error).message}`);
    }
  return { password, aliasProblems };
}

/** If the answer with the temporary password was lost, the next attempt finds the mailbox and resets its password. */
async function createOrRecover(
  name: string,
  line: CheckedLine,
  unanswered: Set<string>,
): Promise<string> {
  const email = line.email!;
  try {
    return await create(name, line);
  } catch (error) {
    const isAnswer = error instanceof ConsoleError && error.status < 500;
    if (!isAnswer) unanswered.add(email);
    const mayBeOurs = isAnswer && error.reason === "already_exists" && unanswered.has(email);
    if (mayBeOurs && (await isUnused(email))) return resetMailboxPassword(email);
    throw error;
  }
}

async function isUnused(email: string): Promise<boolean> {
  const mailbox = await read("mailboxes.get", {
    params: { email },
  });
  return mailbox.forcePasswordChange && mailbox.lastSignInAt === null;
}

async function create(name: string, { email, quotaMb: quota, unit }: CheckedLine): Promise<string> {
  const { temporaryPassword: password } = await change("mailboxes.create", {
    body: {
      email: email!,
      name,
      ...(quota !== null && { quotaMb: quota }),
      ...(unit !== null && { orgUnitId: unit.id }),
    },
  });
  // Null only with instructions to a private address.
  return password!;
}
