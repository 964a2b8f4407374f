import { useEffect, useRef, useState } from "react";

import { removeMailbox, type MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { change, ConsoleError, NoAnswerInTime } from "#app/console/console-client.ts";
import { formatBytes, formatCount, MB, pluralize } from "#app/console/ui/format.ts";
import { useLeaveGuard } from "#app/console/ui/leave-guard.ts";

export type BulkActionName =
  "suspend" | "restore" | "reset" | "move" | "resize" | "group" | "delete";

export type BulkActionInput = {
  unit?: { id: number; name: string };
  sizeMb?: number;
  /** Address. */
  group?: string;
  /** Address of the mailbox that gets the mail of deleted ones. */
  deliverTo?: string;
};

/** The effect on one mailbox, or why it is skipped. */
type Preview = { isIncluded: boolean; words: string };

export type BulkAction = {
  /** "Suspend" */
  verb: string;
  /** Defaults to mailboxes; for example "11 passwords". */
  countNoun?: (count: number) => string;
  /** "Suspended" */
  past: string;
  consequence: string;
  /** The admin must type the number of mailboxes. */
  isConfirmed?: true;
  preview: (mailbox: MailboxRow, choice: BulkActionInput) => Preview;
  /** @returns the temporary password, if the action creates one */
  run: (address: string, choice: BulkActionInput) => Promise<string | null>;
};

const include = (words: string): Preview => ({ isIncluded: true, words });
const exclude = (words: string): Preview => ({ isIncluded: false, words });

const notAllowed = ({ orgUnit: unit }: MailboxRow) =>
  exclude(`Skipped: you don’t have the privilege in ${unit.name}`);

const patch = async (address: string, change: Parameters<typeof patchMailbox>[1]) => {
  await patchMailbox(address, change);
  return null;
};

export const BULK_ACTIONS: Record<BulkActionName, BulkAction> = {
  suspend: {
    verb: "Suspend",
    past: "Suspended",
    consequence:
      "Mailbox users are signed out of all mail apps immediately and can’t sign in until you restore their mailboxes. Mail still arrives.",
    preview(mailbox) {
      if (!mailbox.may.suspend) return notAllowed(mailbox);
      return mailbox.active ? include("Will be suspended") : exclude("Skipped: already suspended");
    },
    run: (address) => patch(address, { active: false }),
  },
  restore: {
    verb: "Restore",
    past: "Restored",
    consequence: "Mailbox users can sign in again with their current passwords.",
    preview(mailbox) {
      if (!mailbox.may.suspend) return notAllowed(mailbox);
      return mailbox.active ? exclude("Skipped: not suspended") : include("Will be restored");
    },
    run: (address) => patch(address, { active: true }),
  },
  reset: {
    verb: "Reset",
    countNoun: (count) => pluralize(count, "password"),
    past: "Reset",
    consequence:
      "The current passwords and all app passwords stop working immediately, and mail apps are signed out. You get a temporary password for each mailbox, shown only once. Print the sheets or download the list before you close this dialog.",
    preview(mailbox) {
      if (!mailbox.may.reset_password) return notAllowed(mailbox);
      if (!mailbox.acceptsPassword) return exclude("Skipped: single sign-on is required");
      return include("Will get a temporary password");
    },
    run: resetMailboxPassword,
  },
  move: {
    verb: "Move",
    past: "Moved",
    consequence: "The new unit’s policies apply immediately. Storage limits don’t change.",
    preview(mailbox, { unit }) {
      if (!mailbox.may.update) return notAllowed(mailbox);
      if (unit === undefined) return include(`Currently in ${mailbox.orgUnit.name}`);
      if (unit.id === mailbox.orgUnit.id) return exclude(`Skipped: already in ${unit.name}`);
      return include(`From ${mailbox.orgUnit.name} to ${unit.name}`);
    },
    run: (address, { unit }) => patch(address, { orgUnitId: unit!.id }),
  },
  resize: {
    verb: "Change storage limit",
    countNoun: (count) => `of ${pluralMailboxes(count)}`,
    past: "Storage limit changed",
    consequence:
      "A mailbox that uses more than its new limit can’t receive mail until some is deleted.",
    preview(mailbox, { sizeMb }) {
      if (!mailbox.may.update) return notAllowed(mailbox);
      const now = formatBytes(mailbox.quotaMb * MB);
      if (!sizeMb) return include(`Currently ${now}`);
      if (sizeMb === mailbox.quotaMb) return exclude(`Skipped: already ${now}`);
      const words = `From ${now} to ${formatBytes(sizeMb * MB)}`;
      const isFull = mailbox.usedBytes > sizeMb * MB;
      return include(
        isFull ? `${words}: uses ${formatBytes(mailbox.usedBytes)}, will be full` : words,
      );
    },
    run: (address, { sizeMb }) => patch(address, { quotaMb: sizeMb! }),
  },
  group: {
    verb: "Add",
    countNoun: (count) => `${pluralMailboxes(count)} to a group`,
    past: "Added",
    consequence: "Members get the mail that is sent to the group.",
    preview: () => include("Will be a member"),
    async run(address, { group }) {
      await change("groups.changeMembers", {
        params: { address: group! },
        body: { add: [address] },
      });
      return null;
    },
  },
  delete: {
    verb: "Delete",
    past: "Deleted",
    consequence:
      "Users will be signed out. Mail to these mailboxes and their aliases will be rejected unless you choose a mailbox to receive it. Owners can restore them on the Deleted page.",
    isConfirmed: true,
    preview({ id, messages, usedBytes }, { deliverTo }) {
      if (id === deliverTo) return exclude("Skipped: receives the others’ mail");
      return include(
        messages === 0 ? "No mail" : `${formatCount(messages)} messages, ${formatBytes(usedBytes)}`,
      );
    },
    async run(address, { deliverTo = "" }) {
      await removeMailbox(address, deliverTo);
      return null;
    },
  },
};

/** "Suspend 3 mailboxes" */
export const describeBulkAction = (
  { verb, countNoun: what = pluralMailboxes }: BulkAction,
  count: number,
): string => `${verb} ${what(count)}`;

export const pluralMailboxes = (count: number): string => pluralize(count, "mailbox", "mailboxes");

type Change = { active?: boolean; quotaMb?: number; orgUnitId?: number };

const patchMailbox = (email: string, body: Change) =>
  change("mailboxes.update", {
    params: { email },
    body,
  });

/** @returns the temporary password */
async function resetMailboxPassword(email: string): Promise<string> {
  const { temporaryPassword: password } = await change("mailboxAccess.resetPassword", {
    params: { email },
    body: {},
  });
  return password;
}

export type BatchResult<Result> =
  { isDone: true; result: Result } | { isDone: false; problem: string };

/** Batches outcomes, so that the page doesn't render for each. */
const SHOWN_EVERY_MS = 150;

/**
 * Runs `work` for each ID with limited concurrency and keeps the outcomes. Warns before the page is
 * left while it runs.
 *
 * @param work throws an error to show for the item
 * @param atOnce concurrency
 */
export function useBatch<Result>(work: (id: string) => Promise<Result>, atOnce: number) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, BatchResult<Result>>>(new Map());
  const [isRunning, setIsRunning] = useState(false);
  const isStopped = useRef(false);
  useEffect(() => () => void (isStopped.current = true), []);
  useLeaveGuard(isRunning, "The remaining changes won’t be made.");

  async function run(ids: string[]) {
    isStopped.current = false;
    setIsRunning(true);
    const waiting = [...ids];
    const ended = new Map<string, BatchResult<Result>>();
    const show = () => setOutcomes((before) => new Map([...before, ...ended]));
    const timer = setInterval(show, SHOWN_EVERY_MS);
    const worker = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        if (isStopped.current) return;
        const outcome = await runOne(() => work(id));
        ended.set(id, outcome.outcome);
        if (outcome.isOver) isStopped.current = true;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    clearInterval(timer);
    show();
    setIsRunning(false);
  }

  return {
    outcomes,
    isRunning,
    run: (ids: string[]) => void run(ids),
    /** Stops after the items in progress. */
    stop: () => void (isStopped.current = true),
    reset: () => setOutcomes(new Map()),
  };
}

/** `isOver` stops the batch: the remaining items would fail the same way. */
async function runOne<Result>(
  act: () => Promise<Result>,
): Promise<{ outcome: BatchResult<Result>; isOver: boolean }> {
  try {
    return { outcome: { isDone: true, result: await act() }, isOver: false };
  } catch (error) {
    const isAnswer = error instanceof ConsoleError;
    return {
      outcome: { isDone: false, problem: describe(error as Error) },
      isOver: !isAnswer || error.status === 401,
    };
  }
}

function describe(error: Error): string {
  if (error instanceof ConsoleError) return error.message;
  return error instanceof NoAnswerInTime
    ? "The server took too long to answer. The change may have been made, so retry"
    : "Can’t reach the server. The change may have been made, so retry";
}
