import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { emailSize } from "./internal/email-rows.ts";
import type { EmailResult, EmailRequest } from "./internal/email-request.ts";
import { writeRequests } from "./internal/write-requests.ts";

/** Limits of one transaction, in emails and octets. The first request always fits. */
const GROUP_EMAILS_MAX = 500;
const GROUP_SIZE_MAX = 8 * 1024 * 1024;

type Waiting = {
  db: Db;
  request: EmailRequest;
  resolve: (results: EmailResult[]) => void;
  reject: (error: unknown) => void;
};

const queue: Waiting[] = [];
let isWriting = false;

/**
 * Accepts the emails of one request: checks senders, reserves quotas and commits emails, histories and outbox
 * rows. Durable once the promise resolves.
 *
 * Requests that arrive while a transaction of this process runs share the next one. The quota locks are held
 * until the commit, so one commit for many requests is cheap.
 *
 * @throws Refusal `account_inactive`, `rate_limit_exceeded` or `monthly_quota_exceeded`; nothing is stored
 *   then
 */
export function acceptEmails(db: Db, request: EmailRequest): Promise<EmailResult[]> {
  return new Promise((resolve, reject) => {
    queue.push({ db, request, resolve, reject });
    if (isWriting) return;
    isWriting = true;
    // Defer, so that requests from the same event loop turn share the transaction.
    setImmediate(() => void writeQueue());
  });
}

async function writeQueue(): Promise<void> {
  try {
    while (queue.length > 0) await writeGroup(nextGroup());
  } finally {
    isWriting = false;
  }
}

function nextGroup(): Waiting[] {
  let emails = 0;
  let size = 0;
  const tooMuch = queue.findIndex(({ request }, index) => {
    emails += request.emails.length;
    size += request.emails.reduce((sum, email) => sum + emailSize(email), 0);
    return index > 0 && (emails > GROUP_EMAILS_MAX || size > GROUP_SIZE_MAX);
  });
  return queue.splice(0, tooMuch === -1 ? queue.length : tooMuch);
}

/** If a group fails, retry its requests one by one: a bad one must not take others down. */
async function writeGroup(group: Waiting[]): Promise<void> {
  try {
    const outcomes = await writeRequests(
      group[0]!.db,
      group.map(({ request }) => request),
    );
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index]!;
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  } catch (error) {
    if (group.length > 1 && wasRolledBack(error))
      for (const each of group) await writeGroup([each]);
    else for (const { reject } of group) reject(error);
  }
}

/**
 * Whether nothing was committed: we rejected the request, or Postgres reported an error. After a lost
 * connection the outcome is unknown.
 */
function wasRolledBack(error: unknown): boolean {
  if (error instanceof Refusal) return true;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && "severity" in cause && cause.severity === "ERROR";
}
