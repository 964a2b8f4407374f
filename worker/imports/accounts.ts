import type { ImapFlow } from "imapflow";

import { type ImportLease, ImportStopped } from "#server/core/mailboxes/imports/import-leases.ts";
import { openSource, openTarget } from "#server/core/mailboxes/imports/import-source.ts";
import type { Db } from "#server/db/client.ts";
import { ImapSourceError, toSourceError } from "#server/gateways/imap-source.ts";

/** The mailbox can't take messages. */
export class TargetError extends Error {
  override name = "TargetError";
  readonly isFull: boolean;
  /** Dovecot rejected the command, so that repeating it doesn't help. */
  readonly isRejection: boolean;

  constructor(error: unknown) {
    const { response, responseStatus, responseText, message } = error as ImapFailure;
    super(responseText ?? message);
    const [code] = response?.attributes?.[0]?.section ?? [];
    this.isFull = code?.value === "OVERQUOTA";
    this.isRejection = responseStatus !== undefined && !this.isFull;
  }
}

/** What imapflow adds to the error of a command. */
type ImapFailure = Error & {
  response?: { attributes?: { section?: { value: string }[] }[] };
  responseStatus?: "NO" | "BAD";
  responseText?: string;
};

/** The source and the mailbox, each signed in. Errors say which of them failed. */
export type Accounts = {
  atSource<T>(work: (client: ImapFlow) => Promise<T>): Promise<T>;
  atTarget<T>(work: (client: ImapFlow) => Promise<T>): Promise<T>;
  close(): void;
};

/** @throws ImapSourceError, TargetError */
export async function openAccounts(db: Db, lease: ImportLease): Promise<Accounts> {
  const source = await openSource(lease);
  const target = await openTarget(db, lease.mailbox).catch((error: unknown) => {
    source.close();
    throw new TargetError(error);
  });
  return {
    atSource: (work) => translating(() => work(source), toSourceError),
    atTarget: (work) =>
      translating(
        () => work(target),
        (error) => new TargetError(error),
      ),
    close() {
      source.close();
      target.close();
    },
  };
}

async function translating<T>(
  work: () => Promise<T>,
  translate: (error: unknown) => Error,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTranslated(error)) throw error;
    throw translate(error);
  }
}

const isTranslated = (error: unknown) =>
  error instanceof ImapSourceError ||
  error instanceof TargetError ||
  error instanceof ImportStopped;

/** An import that is running, and its connections. */
export type RunningImport = {
  db: Db;
  lease: ImportLease;
  accounts: Accounts;
  /** Aborts when the process stops, the import is canceled or its lease can't be renewed. */
  signal: AbortSignal;
  /** Messages that Gmail shows in the folders so far, by its own ids. */
  seenElsewhere: Set<string>;
};
