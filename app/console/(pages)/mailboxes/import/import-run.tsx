"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";

import {
  pluralMailboxes,
  type BatchResult,
  useBatch,
} from "#app/console/(pages)/mailboxes/bulk-actions/bulk-actions.ts";
import { ProgressBar } from "#app/console/(pages)/mailboxes/bulk-actions/progress.tsx";
import { TemporaryPasswords } from "#app/console/(pages)/mailboxes/welcome/welcome-sheets.tsx";
import { formatBytes, formatCount, MB, pluralize, typographic } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";

import classes from "./import.module.css";
import type { MailboxLine, NumberedLine } from "./parse-list.ts";
import {
  type Checked,
  type CheckedLine,
  importLine,
  type ImportResult,
  isInactive,
} from "./queries.ts";

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
    fresh === 0 ? "No mailboxes will be created." : `${pluralMailboxes(fresh)} will be created.`,
    existing > 0 && `${pluralMailboxes(existing)} already ${existing === 1 ? "exists" : "exist"}.`,
    inactive > 0 &&
      `${pluralize(inactive, "user is", "users are")} suspended or archived in the other system and will be skipped.`,
    refused > 0 &&
      `${formatCount(refused)} ${refused === 1 ? "line has" : "lines have"} errors and will be skipped.`,
  ]
    .filter(Boolean)
    .join(" ");
}

const startLabel = ({ fresh }: Counts) =>
  fresh === 0 ? "Add missing aliases" : `Create ${pluralMailboxes(fresh)}`;

function progressSummary(todo: Entry[], left: Entry[]): string {
  const made = todo.length - left.length;
  if (left.length === 0) return `Done: ${pluralMailboxes(made)}.`;
  return `${pluralMailboxes(made)} done, ${formatCount(left.length)} remaining.`;
}

/** Rendering thousands of rows is slow. */
const SHOWN_AT_ONCE = 100;

/** An imported line with its check result and outcome. */
type Entry = {
  /** Its position among the lines to import. */
  at: number;
  /** Its number in the file. */
  number: number;
  line: MailboxLine;
  checked: CheckedLine;
  outcome: BatchResult<ImportResult> | undefined;
};

const SHOWN = {
  all: "All lines",
  problems: "With problems",
} as const;

function ImportLines({ entries }: { entries: Entry[] }) {
  const problems = entries.filter((entry) => lineErrors(entry).length > 0);
  const [shown, setShown] = useState<keyof typeof SHOWN>(problems.length > 0 ? "problems" : "all");
  const [count, setCount] = useState(SHOWN_AT_ONCE);
  const listed = shown === "problems" ? problems : entries;
  return (
    <section aria-label="Imported lines">
      <div className={classes.choice} role="group" aria-label="Filter lines">
        {(["all", "problems"] as const).map((name) => (
          <Button
            key={name}
            size="xs"
            variant={name === shown ? "light" : "default"}
            aria-pressed={name === shown}
            onClick={() => {
              setShown(name);
              setCount(SHOWN_AT_ONCE);
            }}
          >
            {SHOWN[name]} ({formatCount((name === "all" ? entries : problems).length)})
          </Button>
        ))}
      </div>
      {listed.length === 0 && <Text c="dimmed">No lines have problems.</Text>}
      {listed.length > 0 && (
        <ol className={classes.lines}>
          {listed.slice(0, count).map((entry) => (
            <ImportLineRow key={entry.number} entry={entry} />
          ))}
        </ol>
      )}
      {listed.length > count && (
        <Button variant="default" mt="sm" onClick={() => setCount(count + SHOWN_AT_ONCE)}>
          Show {Math.min(SHOWN_AT_ONCE, listed.length - count)} more of {formatCount(listed.length)}
        </Button>
      )}
    </section>
  );
}

function ImportLineRow({ entry }: { entry: Entry }) {
  const { number, line, checked } = entry;
  const problems = lineErrors(entry);
  return (
    <li className={classes.line}>
      <span className={classes.number}>{number}</span>
      <span className={classes.words}>
        <span className={classes.address}>{checked.email ?? (line.email || "No address")}</span>
        <span className={classes.facts}>{describeLine(entry)}</span>
        {problems.map((problem) => (
          <span key={problem} className={classes.problem}>
            {problem}
          </span>
        ))}
      </span>
      <Status {...lineStatus(entry)} />
    </li>
  );
}

function describeLine({ line, checked }: Entry): string {
  const { unit, quotaMb: quota, aliases } = checked;
  return [
    line.name,
    unit?.name,
    quota !== null && checked.outcome !== "exists" && formatBytes(quota * MB),
    aliases.length > 0 && `aliases: ${aliases.join(", ")}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

const FIELDS = {
  email: "Address",
  name: "Name",
  quota_mb: "Storage limit",
  unit: "Unit",
  aliases: "Aliases",
  status: "Status",
} as const;

function lineErrors({ checked, outcome }: Entry): string[] {
  if (outcome && !outcome.isDone) return [outcome.problem];
  if (outcome) return outcome.result.aliasProblems;
  return checked.problems.map(({ field, message }) => typographic(formatProblem(field, message)));
}

/** Prefixes the field name, unless the message is a whole sentence. */
function formatProblem(field: keyof typeof FIELDS, message: string): string {
  if (message.startsWith("Missing required field")) return `${FIELDS[field]} is required`;
  return /^[a-z']+ /.test(message) ? `${FIELDS[field]} ${message}` : message;
}

function lineStatus({ checked, outcome }: Entry): { tone: StatusTone; label: string } {
  if (outcome) {
    if (!outcome.isDone) return { tone: "failed", label: "Not created" };
    if (outcome.result.aliasProblems.length > 0)
      return { tone: "waiting", label: "Created, aliases failed" };
    return { tone: "done", label: "Created" };
  }
  if (isInactive(checked)) return { tone: "none", label: "Skipped" };
  if (checked.outcome === "refused") return { tone: "failed", label: "Skipped" };
  if (checked.outcome === "new") return { tone: "info", label: "Will be created" };
  return checked.aliases.length > 0
    ? { tone: "info", label: "Aliases will be added" }
    : { tone: "done", label: "Already exists" };
}
