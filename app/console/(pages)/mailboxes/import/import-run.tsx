"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";

import { countMailboxes } from "#app/console/(pages)/mailboxes/bulk-actions/bulk-actions.ts";
import { ProgressBar } from "#app/console/(pages)/mailboxes/bulk-actions/progress-bar.tsx";
import { useBatch } from "#app/console/(pages)/mailboxes/bulk-actions/use-batch.ts";
import { TemporaryPasswords } from "#app/console/(pages)/mailboxes/welcome/temporary-passwords.tsx";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import type { NumberedLine } from "./parse-list.ts";
import { type Checked, importLine, type ImportResult, isInactive } from "./queries.ts";
import { type Entry, ImportLines } from "./import-lines.tsx";

/** The server creates one mailbox per company at a time. */
const AT_ONCE = 1;

/**
 * Shows the check results, then runs the import, which can be stopped and continued. Mailboxes that
 * already exist are recognized when the same list is imported again.
 */
export function ImportRun({
  lines,
  checked,
  ...acts
}: {
  lines: NumberedLine[];
  checked: Checked;
} & CheckActions) {
  const router = useRouter();
  const queryClient = useQueryClient();
  const creation = useImportRun(lines, checked);
  const { entries, todo, left, people, run, hasBegun } = creation;
  const [isStored, setIsStored] = useState(false);
  const hasSecrets = people.length > 0 && !isStored && !run.isRunning;

  function handleStored() {
    setIsStored(true);
    queryClient.removeQueries({ queryKey: ["mailboxes", "list"] });
    if (left.length === 0) router.push("/console/mailboxes");
  }

  function start() {
    setIsStored(false);
    run.run(left.map(({ at }) => String(at)));
  }

  return (
    <Stack gap="md">
      <Panel title={hasBegun ? "Import" : "Preview"}>
        <Stack gap="md">
          {checked.blocked !== null && (
            <Text role="alert" c="var(--mantine-color-error)">
              {checked.blocked}.
            </Text>
          )}
          {!hasBegun && <Text role="status">{summary(countOutcomes(entries))}</Text>}
          {hasBegun && (
            <ProgressBar
              label="Mailboxes created"
              done={run.outcomes.size}
              of={todo.length}
              isRunning={run.isRunning}
            >
              {progressSummary(todo, left)}
            </ProgressBar>
          )}
          <ImportControls
            creation={creation}
            mayStart={checked.blocked === null}
            hasSecrets={hasSecrets}
            onStart={start}
            {...acts}
          />
        </Stack>
      </Panel>
      {hasSecrets && (
        <Panel title="Temporary passwords">
          <TemporaryPasswords people={people} onStored={handleStored} />
        </Panel>
      )}
      <ImportLines entries={entries} />
    </Stack>
  );
}

type CheckActions = { isTrying: boolean; onTryAgain: () => void; onBack: () => void };
type State = ReturnType<typeof useImportRun>;

function useImportRun(lines: NumberedLine[], checked: Checked) {
  const unanswered = useRef(new Set<string>());
  const run = useBatch<ImportResult>(
    (at) => importLine(lines[Number(at)]!.name, checked.lines[Number(at)]!, unanswered.current),
    AT_ONCE,
  );
  const entries = lines.map((line, at): Entry => ({
    at,
    number: line.number,
    line,
    checked: checked.lines[at]!,
    outcome: run.outcomes.get(String(at)),
  }));
  const todo = entries.filter(hasWork);
  return {
    entries,
    todo,
    run,
    left: todo.filter(({ outcome }) => !outcome?.isDone),
    people: todo.flatMap(passwordOf),
    hasBegun: run.outcomes.size > 0 || run.isRunning,
  };
}

function passwordOf({ line, checked, outcome }: Entry) {
  if (!outcome?.isDone || outcome.result.password === null) return [];
  return [{ address: checked.email!, name: line.name, password: outcome.result.password }];
}

function ImportControls({
  creation: { entries, left, run, hasBegun },
  mayStart,
  hasSecrets,
  isTrying,
  onStart,
  onTryAgain,
  onBack,
}: {
  creation: State;
  mayStart: boolean;
  /** Passwords that haven't been stored yet. */
  hasSecrets: boolean;
  onStart: () => void;
} & CheckActions) {
  if (run.isRunning)
    return (
      <Group gap="xs">
        <Button variant="default" onClick={run.stop}>
          Stop
        </Button>
      </Group>
    );
  // The passwords panel below has the remaining step.
  if (hasSecrets && left.length === 0) return null;
  return (
    <Group gap="xs">
      {mayStart && left.length > 0 && (
        <Button onClick={onStart}>
          {hasBegun
            ? `Import remaining ${formatCount(left.length)}`
            : startLabel(countOutcomes(entries))}
        </Button>
      )}
      {!hasBegun && (
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
      )}
      {hasBegun && !hasSecrets && (
        <Button
          variant="default"
          aria-busy={isTrying}
          onClick={() => {
            run.reset();
            onTryAgain();
          }}
        >
          Check lines again
        </Button>
      )}
    </Group>
  );
}

function hasWork({ checked }: Entry): boolean {
  if (checked.outcome === "new") return true;
  return checked.outcome === "exists" && checked.aliases.length > 0;
}

type Counts = { fresh: number; existing: number; inactive: number; refused: number };

function countOutcomes(entries: Entry[]): Counts {
  const count = (outcome: string) =>
    entries.filter(({ checked }) => checked.outcome === outcome).length;
  const inactive = entries.filter(({ checked }) => isInactive(checked)).length;
  return {
    fresh: count("new"),
    existing: count("exists"),
    inactive,
    refused: count("refused") - inactive,
  };
}

function summary({ fresh, existing, inactive, refused }: Counts): string {
  return [
    fresh === 0 ? "No mailboxes will be created." : `${countMailboxes(fresh)} will be created.`,
    existing > 0 && `${countMailboxes(existing)} already ${existing === 1 ? "exists" : "exist"}.`,
    inactive > 0 &&
      `${pluralize(inactive, "user is", "users are")} suspended or archived in the other system and will be skipped.`,
    refused > 0 &&
      `${formatCount(refused)} ${refused === 1 ? "line has" : "lines have"} errors and will be skipped.`,
  ]
    .filter(Boolean)
    .join(" ");
}

const startLabel = ({ fresh }: Counts) =>
  fresh === 0 ? "Add missing aliases" : `Create ${countMailboxes(fresh)}`;

function progressSummary(todo: Entry[], left: Entry[]): string {
  const made = todo.length - left.length;
  if (left.length === 0) return `Done: ${countMailboxes(made)}.`;
  return `${countMailboxes(made)} done, ${formatCount(left.length)} remaining.`;
}
