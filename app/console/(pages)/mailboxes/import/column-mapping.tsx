"use client";

import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { FormError } from "#app/console/ui/errors.tsx";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import type { SkippedUser } from "#server/universal/imports/read-users.ts";

import classes from "./column-mapping.module.css";
import { type ColumnName, COLUMNS } from "./columns.ts";
import { LINES_MAX, type NumberedLine, toImportLines, type ParsedList } from "./parse-list.ts";

const SAMPLE = 5;
const SKIPPED_SHOWN = 20;
const NAMES: ColumnName[] = ["name", "given", "family"];
const CHOICES = [
  { value: "", label: "Skip column" },
  ...Object.entries(COLUMNS).map(([value, label]) => ({ value, label })),
];

export function ColumnMapping({
  list: { rows, numbers, columns: guessed, hasHead, exported },
  isPending,
  error,
  onTry,
  onBack,
}: {
  list: ParsedList;
  isPending: boolean;
  error: Error | null;
  onTry: (lines: NumberedLine[]) => void;
  onBack: () => void;
}) {
  const [columns, setColumns] = useState(guessed);
  const [problem, setProblem] = useState<string | null>(null);

  /** Each field maps to one column: the last one selected. */
  const choose = (at: number, name: ColumnName | null) =>
    setColumns(
      columns.map((column, i) => {
        if (i === at) return name;
        return column === name ? null : column;
      }),
    );

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const found = mappingError(rows, columns);
    setProblem(found);
    if (found === null && !isPending)
      onTry(toImportLines(rows, columns).map((line, at) => ({ ...line, number: numbers[at]! })));
  }

  return (
    <Panel title={pluralize(rows.length, "line")}>
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="md">
          <Text c="dimmed">{describeMapping(hasHead, exported)}</Text>
          {exported && <SkippedUsers users={exported.skipped} />}
          <div className={classes.scroll} tabIndex={0} role="region" aria-label="First lines">
            <table className={classes.table}>
              <thead>
                <tr>
                  {columns.map((column, at) => (
                    <th key={at} scope="col">
                      <NativeSelect
                        aria-label={`Column ${at + 1}`}
                        size="sm"
                        data={CHOICES}
                        value={column ?? ""}
                        onChange={(event) =>
                          choose(at, (event.currentTarget.value || null) as ColumnName | null)
                        }
                      />
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.slice(0, SAMPLE).map((row, line) => (
                  <tr key={line}>
                    {columns.map((column, at) => (
                      <td key={at} data-out={column === null}>
                        {row[at]}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {problem !== null && (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {problem}.
            </Text>
          )}
          <FormError error={error} />
          <Group gap="xs">
            <Button type="submit" aria-busy={isPending}>
              Check lines
            </Button>
            <Button variant="default" onClick={onBack}>
              Back
            </Button>
            <Text role="status" size="sm" c="dimmed">
              {isPending ? "Checking… Nothing is created yet." : ""}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function describeMapping(hasHead: boolean, exported: ParsedList["exported"]): string {
  if (exported)
    return `This is an export from ${exported.from}. Check that the values are correct.`;
  return hasHead
    ? "Columns were matched by their headings. Check that they are correct."
    : "No known headings were found, so the columns are a guess. Check that they are correct.";
}

function SkippedUsers({ users }: { users: SkippedUser[] }) {
  if (users.length === 0) return null;
  return (
    <div>
      <Text size="sm">{pluralize(users.length, "entry isn’t", "entries aren’t")} imported:</Text>
      <Text component="ul" size="sm" m={0} pl="lg">
        {users.slice(0, SKIPPED_SHOWN).map(({ line, address, problem }) => (
          <li key={line}>
            {address || `Line ${line}`}: {problem}
          </li>
        ))}
      </Text>
      {users.length > SKIPPED_SHOWN && (
        <Text size="sm" c="dimmed">
          And {formatCount(users.length - SKIPPED_SHOWN)} more.
        </Text>
      )}
    </div>
  );
}

function mappingError(rows: string[][], columns: (ColumnName | null)[]): string | null {
  if (rows.length === 0) return "The list has no lines";
  if (rows.length > LINES_MAX)
    return `The list has ${formatCount(rows.length)} lines. You can import up to 5,000 at a time, so split it`;
  if (!columns.includes("email")) return "Select the column with the email addresses";
  const hasNames = NAMES.some((name) => columns.includes(name));
  return hasNames ? null : "Select the column with the names";
}
