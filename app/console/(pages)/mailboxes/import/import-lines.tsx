"use client";

import { Button, Text } from "@mantine/core";
import { useState } from "react";

import type { BatchResult } from "#app/console/(pages)/mailboxes/bulk-actions/use-batch.ts";
import { formatBytes, formatCount, MB, typographic } from "#app/console/ui/format.ts";
import { type StatusTone, Status } from "#app/console/ui/status.tsx";

import classes from "./import-lines.module.css";
import type { ImportLine } from "./parse-list.ts";
import { type CheckedLine, type ImportResult, isInactive } from "./queries.ts";

/** Rendering thousands of rows is slow. */
const SHOWN_AT_ONCE = 100;

/** An imported line with its check result and outcome. */
export type Entry = {
  /** Its position among the lines to import. */
  at: number;
  /** Its number in the file. */
  number: number;
  line: ImportLine;
  checked: CheckedLine;
  outcome: BatchResult<ImportResult> | undefined;
};

const SHOWN = {
  all: "All lines",
  problems: "With problems",
} as const;

export function ImportLines({ entries }: { entries: Entry[] }) {
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
