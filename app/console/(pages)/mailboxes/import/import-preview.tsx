import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";

import { pluralMailboxes } from "#app/console/(pages)/mailboxes/bulk-actions/bulk-actions.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { formatBytes, formatCount, MB, pluralize, typographic } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";

import classes from "./import.module.css";
import type { NumberedLine } from "./parse-list.ts";
import type { Checked, CheckedLine } from "./queries.ts";

/** Shows what importing the lines would do. */
export function ImportPreview({
  lines,
  checked,
  createsUnits,
  onCreateUnits,
  isStarting,
  error,
  onStart,
  onBack,
}: {
  lines: NumberedLine[];
  checked: Checked;
  createsUnits: boolean;
  /** Checks the lines again. */
  onCreateUnits: (isWanted: boolean) => void;
  isStarting: boolean;
  error: Error | null;
  onStart: () => void;
  onBack: () => void;
}) {
  const entries = lines.map((line, at): Entry => ({ line, checked: checked.lines[at]! }));
  const counts = countOutcomes(entries);
  const hasWork = counts.fresh > 0 || entries.some(({ checked }) => addsAliases(checked));
  return (
    <Stack gap="md">
      <Panel title="Preview">
        <Stack gap="md">
          {checked.blocked !== null && (
            <Text role="alert" c="var(--mantine-color-error)">
              {checked.blocked}.
            </Text>
          )}
          <Text role="status">{summary(counts)}</Text>
          {checked.missingUnits.length > 0 && (
            <MissingUnits
              paths={checked.missingUnits}
              isChecked={createsUnits}
              onChange={onCreateUnits}
            />
          )}
          <FormError error={error} />
          <Group gap="xs">
            {checked.blocked === null && hasWork && (
              <Button onClick={onStart} aria-busy={isStarting}>
                {counts.fresh === 0
                  ? "Add missing aliases"
                  : `Create ${pluralMailboxes(counts.fresh)}`}
              </Button>
            )}
            <Button variant="default" onClick={onBack}>
              Back
            </Button>
          </Group>
        </Stack>
      </Panel>
      <ImportLines entries={entries} />
    </Stack>
  );
}

function MissingUnits({
  paths,
  isChecked,
  onChange,
}: {
  paths: string[];
  isChecked: boolean;
  onChange: (isWanted: boolean) => void;
}) {
  return (
    <section aria-label="Missing units">
      <Text fw={600}>{pluralize(paths.length, "unit doesn’t", "units don’t")} exist</Text>
      <ul className={classes.units}>
        {paths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
      <Checkbox
        size="md"
        label={
          paths.length === 1
            ? "Create this unit"
            : `Create these ${formatCount(paths.length)} units`
        }
        description="Units inherit policies from their parent unit. Lines whose unit isn’t created are skipped."
        checked={isChecked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </section>
  );
}

const addsAliases = ({ outcome, aliases }: CheckedLine) =>
  outcome === "exists" && aliases.length > 0;

type Counts = Record<"fresh" | "invited" | "existing" | "inactive" | "refused", number>;

function countOutcomes(entries: Entry[]): Counts {
  const count = (outcome: string) =>
    entries.filter(({ checked }) => checked.outcome === outcome).length;
  const inactive = entries.filter(({ checked }) => checked.isInactive).length;
  return {
    fresh: count("new"),
    invited: entries.filter(({ checked }) => isInvited(checked)).length,
    existing: count("exists"),
    inactive,
    refused: count("refused") - inactive,
  };
}

const isInvited = ({ outcome, instructionsTo }: CheckedLine) =>
  outcome === "new" && instructionsTo !== null;

function summary({ fresh, invited, existing, inactive, refused }: Counts): string {
  return [
    fresh === 0 ? "No mailboxes will be created." : `${pluralMailboxes(fresh)} will be created.`,
    invited > 0 &&
      `${pluralize(invited, "user gets", "users get")} an email at a private address with a link to set the password.`,
    existing > 0 && `${pluralMailboxes(existing)} already ${existing === 1 ? "exists" : "exist"}.`,
    inactive > 0 &&
      `${pluralize(inactive, "user is", "users are")} suspended or archived in the other system and will be skipped.`,
    refused > 0 &&
      `${formatCount(refused)} ${refused === 1 ? "line has" : "lines have"} errors and will be skipped.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Rendering thousands of rows is slow. */
const SHOWN_AT_ONCE = 100;

type Entry = { line: NumberedLine; checked: CheckedLine };

const SHOWN = {
  all: "All lines",
  problems: "With problems",
} as const;

function ImportLines({ entries }: { entries: Entry[] }) {
  const problems = entries.filter(({ checked }) => checked.problems.length > 0);
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
            <ImportLineRow key={entry.line.number} entry={entry} />
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

function ImportLineRow({ entry: { line, checked } }: { entry: Entry }) {
  return (
    <li className={classes.line}>
      <span className={classes.number}>{line.number}</span>
      <span className={classes.words}>
        <span className={classes.address}>{checked.email ?? (line.email || "No address")}</span>
        <span className={classes.facts}>{describeLine(line, checked)}</span>
        {checked.problems.map((problem) => (
          <span key={problem} className={classes.problem}>
            {typographic(problem)}
          </span>
        ))}
      </span>
      <Status {...lineStatus(checked)} />
    </li>
  );
}

function describeLine({ name }: NumberedLine, checked: CheckedLine): string {
  const { unit, quotaMb: quota, aliases } = checked;
  return [
    name,
    unit,
    quota !== null && checked.outcome !== "exists" && formatBytes(quota * MB),
    aliases.length > 0 && `aliases: ${aliases.join(", ")}`,
    isInvited(checked) && `link to ${checked.instructionsTo}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

function lineStatus(checked: CheckedLine): { tone: StatusTone; label: string } {
  if (checked.isInactive) return { tone: "none", label: "Skipped" };
  if (checked.outcome === "refused") return { tone: "failed", label: "Skipped" };
  if (checked.outcome === "new") return { tone: "info", label: "Will be created" };
  return addsAliases(checked)
    ? { tone: "info", label: "Aliases will be added" }
    : { tone: "done", label: "Already exists" };
}
