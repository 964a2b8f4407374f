"use client";

import { Button, Group, Stack } from "@mantine/core";

import type { MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { Passwords } from "#app/console/(pages)/mailboxes/welcome/passwords.tsx";

import { type Act, mailboxesInWords } from "./acts.ts";
import classes from "./progress.module.css";
import { Each } from "./each.tsx";
import { ProgressBar } from "./progress-bar.tsx";
import type { Outcome, useRun } from "./use-run.ts";

type Run = ReturnType<typeof useRun<string | null>>;

/** How far it is, how each ended, and what can be done about those that failed. */
export function Progress({
  act,
  mailboxes,
  run,
  onClose,
}: {
  act: Act;
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
      <Each
        label="How it went"
        entries={mailboxes.map((mailbox) => ({
          mailbox,
          ...wordsOf(act, outcomes.get(mailbox.id)),
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
            {failed > 0 ? `Try ${mailboxesInWords(left.length)} again` : "Continue"}
          </Button>
        )}
        {!isRunning && passwords.length === 0 && <Button onClick={onClose}>Close</Button>}
      </Group>
      {!isRunning && passwords.length > 0 && <Passwords people={passwords} onStored={onClose} />}
    </Stack>
  );
}

function summary(act: Act, all: number, left: number): string {
  if (left === 0) return `${act.past}: ${mailboxesInWords(all)}.`;
  return `${act.past}: ${mailboxesInWords(all - left)}. Not yet: ${mailboxesInWords(left)}.`;
}

function wordsOf(act: Act, outcome: Outcome<unknown> | undefined) {
  if (!outcome) return { isActed: true, words: "Waits", tone: "none" } as const;
  if (outcome.isDone) return { isActed: true, words: act.past, tone: "done" } as const;
  return { isActed: false, words: outcome.problem, tone: "failed" } as const;
}

function passwordsIn(mailboxes: MailboxRow[], outcomes: Run["outcomes"]) {
  return mailboxes.flatMap(({ id, name }) => {
    const outcome = outcomes.get(id);
    if (!outcome?.isDone || outcome.result === null) return [];
    return [{ address: id, name, password: outcome.result }];
  });
}
