"use client";

import { Button, Group, Stack } from "@mantine/core";

import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { TemporaryPasswords } from "#app/console/(pages)/mailboxes/welcome/temporary-passwords.tsx";

import { type BulkAction, countMailboxes } from "./bulk-actions.ts";
import classes from "./bulk-action-progress.module.css";
import { MailboxResultList } from "./mailbox-result-list.tsx";
import { ProgressBar } from "./progress-bar.tsx";
import type { BatchResult, useBatch } from "./use-batch.ts";

type Run = ReturnType<typeof useBatch<string | null>>;

export function BulkActionProgress({
  act,
  mailboxes,
  run,
  onClose,
}: {
  act: BulkAction;
  mailboxes: MailboxRow[];
  run: Run;
  onClose: () => void;
}) {
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
            {failed > 0 ? `Retry ${countMailboxes(left.length)}` : "Continue"}
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
  if (left === 0) return `${act.past}: ${countMailboxes(all)}.`;
  return `${act.past}: ${countMailboxes(all - left)}. Remaining: ${countMailboxes(left)}.`;
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
