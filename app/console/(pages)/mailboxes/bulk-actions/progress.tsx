import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { TemporaryPasswords } from "#app/console/(pages)/mailboxes/welcome/welcome-sheets.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { StatusDot, type StatusTone } from "#app/console/ui/status.tsx";

import classes from "./bulk-actions.module.css";
import {
  type BulkAction,
  pluralMailboxes,
  type BatchResult,
  type useBatch,
} from "./bulk-actions.ts";

type Run = ReturnType<typeof useBatch<string | null>>;

type BulkActionProgressProps = {
  act: BulkAction;
  mailboxes: MailboxRow[];
  run: Run;
  onClose: () => void;
};

export function BulkActionProgress({ act, mailboxes, run, onClose }: BulkActionProgressProps) {
  const { outcomes, isRunning } = run;
  const left = mailboxes.filter(({ id }) => !outcomes.get(id)?.isDone).map(({ id }) => id);
  const failed = [...outcomes.values()].filter(({ isDone }) => !isDone).length;
  const passwords = passwordsIn(mailboxes, outcomes);
  return (
    <Stack gap="md">
      <ProgressBar
        label={act.verb}
        done={outcomes.size}
        of={mailboxes.length}
        isRunning={isRunning}
      >
        {summary(act, mailboxes.length, left.length)}
      </ProgressBar>
      <MailboxResultList
        label="Results"
        entries={mailboxes.map((mailbox) => ({
          mailbox,
          ...describeOutcome(act, outcomes.get(mailbox.id)),
        }))}
      />
      <Group justify="flex-end" gap="xs" className={classes.buttons}>
        {isRunning && (
          <Button variant="default" onClick={run.stop}>
            Stop
          </Button>
        )}
        {!isRunning && left.length > 0 && (
          <Button variant="default" onClick={() => run.run(left)}>
            {failed > 0 ? `Retry ${pluralMailboxes(left.length)}` : "Continue"}
          </Button>
        )}
        {!isRunning && passwords.length === 0 && <Button onClick={onClose}>Close</Button>}
      </Group>
      {!isRunning && passwords.length > 0 && (
        <TemporaryPasswords people={passwords} onStored={onClose} />
      )}
    </Stack>
  );
}

function summary(act: BulkAction, all: number, left: number): string {
  if (left === 0) return `${act.past}: ${pluralMailboxes(all)}.`;
  return `${act.past}: ${pluralMailboxes(all - left)}. Remaining: ${pluralMailboxes(left)}.`;
}

function describeOutcome(act: BulkAction, outcome: BatchResult<unknown> | undefined) {
  if (!outcome) return { isIncluded: true, words: "Queued", tone: "none" } as const;
  if (outcome.isDone) return { isIncluded: true, words: act.past, tone: "done" } as const;
  return { isIncluded: false, words: outcome.problem, tone: "failed" } as const;
}

function passwordsIn(mailboxes: MailboxRow[], outcomes: Run["outcomes"]) {
  return mailboxes.flatMap(({ id, name }) => {
    const outcome = outcomes.get(id);
    if (!outcome?.isDone || outcome.result === null) return [];
    return [{ address: id, name, password: outcome.result }];
  });
}

type MailboxResultListProps = {
  label: string;
  entries: {
    mailbox: Pick<MailboxRow, "id">;
    isIncluded: boolean;
    words: string;
    tone?: StatusTone;
  }[];
};

/** One line per mailbox, skipped ones first. */
export function MailboxResultList({ label, entries }: MailboxResultListProps) {
  const sorted = entries.toSorted((a, b) => Number(a.isIncluded) - Number(b.isIncluded));
  return (
    <ul className={classes.each} aria-label={label} tabIndex={0}>
      {sorted.map(({ mailbox, isIncluded, words, tone = isIncluded ? "info" : "none" }) => (
        <li key={mailbox.id} className={classes.entry}>
          <span className={classes.address}>{mailbox.id}</span>
          <span className={classes.words}>
            <StatusDot tone={tone} />
            {words}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Shows `children` when finished. */
export const ProgressBar = ({
  label,
  done,
  of,
  isRunning,
  hint = "Keep this page open until it finishes.",
  children,
}: {
  label: string;
  done: number;
  of: number;
  isRunning: boolean;
  /** Shown while it runs. */
  hint?: string;
  children?: ReactNode;
}) => (
  <div className={classes.progress}>
    <progress className={classes.bar} value={done} max={of} aria-label={label} />
    {(isRunning || !children) && (
      <Text size="sm" c="dimmed">
        {formatCount(done)} of {formatCount(of)}
        {isRunning && `. ${hint}`}
      </Text>
    )}
    <Text role="status">{!isRunning && children}</Text>
  </div>
);
