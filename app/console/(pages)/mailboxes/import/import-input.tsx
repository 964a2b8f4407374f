import { Button, Group, NativeSelect, Stack, Text, Textarea } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { type SubmitEvent, useRef, useState } from "react";

import { CodeBlock } from "#app/console/ui/code.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { formatCount, pluralize, typographic } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { decodeTextFile } from "#server/universal/imports/parse-table.ts";
import type { SkippedUser } from "#server/universal/imports/read-users.ts";

import classes from "./import.module.css";
import {
  type ColumnName,
  COLUMNS,
  LINES_MAX,
  type NumberedLine,
  type ParsedList,
  toImportLines,
} from "./parse-list.ts";

/** Characters; above this, the native paste takes minutes. */
const LARGE = 10_000;

const FILE_MAX = 5 * 1024 * 1024;

export function ImportListInput({
  text,
  example,
  onChange,
  onRead,
}: {
  text: string;
  /** A domain for the example. */
  example: string;
  onChange: (text: string) => void;
  /** Rejects if the list can’t be read. */
  onRead: (text: string) => Promise<void>;
}) {
  const file = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);

  async function readList(list: string) {
    if (list.trim() === "") {
      setProblem("Paste a list or choose a file");
      return;
    }
    try {
      await onRead(list);
    } catch (error) {
      setProblem(typographic((error as Error).message));
    }
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    void readList(text);
  }

  async function handleFile(chosen: File | undefined) {
    if (!chosen) return;
    if (chosen.size > FILE_MAX)
      setProblem("The file is larger than 5 MB. Split it and import each part");
    else {
      const list = decodeTextFile(new Uint8Array(await chosen.arrayBuffer()));
      setProblem(null);
      onChange(list);
      await readList(list);
    }
  }

  return (
    <Stack gap="md">
      <Panel title="List">
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Stack gap="md">
            <Textarea
              label="CSV or JSON data"
              description="Paste CSV, spreadsheet cells, or an export from Google Workspace, Microsoft 365, or mailcow, or drop the file here. Up to 5,000 lines."
              rows={10}
              value={text}
              onChange={(event) => {
                setProblem(null);
                onChange(event.currentTarget.value);
              }}
              onPaste={(event) => {
                const pasted = event.clipboardData.getData("text/plain");
                if (pasted.length < LARGE) return;
                // The browser takes minutes to insert thousands of lines itself.
                event.preventDefault();
                const { selectionStart: from, selectionEnd: to } = event.currentTarget;
                setProblem(null);
                onChange(text.slice(0, from) + pasted + text.slice(to));
              }}
              // By default, the browser would open a dropped file instead of the page.
              onDragOver={(event) => {
                if (event.dataTransfer.types.includes("Files")) event.preventDefault();
              }}
              onDrop={(event) => {
                const [dropped] = event.dataTransfer.files;
                if (!dropped) return;
                event.preventDefault();
                void handleFile(dropped);
              }}
              error={problem}
              autoComplete="off"
              spellCheck={false}
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            />
            <Group gap="xs">
              <Button type="submit">Continue</Button>
              <Button
                variant="default"
                leftSection={<IconUpload size={14} />}
                onClick={() => file.current?.click()}
              >
                Choose file
              </Button>
              <input
                ref={file}
                type="file"
                accept=".csv,.txt,.tsv,.json,text/csv,text/plain,application/json"
                aria-label="CSV or JSON file"
                hidden
                onChange={(event) => {
                  void handleFile(event.currentTarget.files?.[0]);
                  event.currentTarget.value = "";
                }}
              />
            </Group>
          </Stack>
        </form>
      </Panel>
      <Panel title="Columns">
        <Text c="dimmed" mb="md">
          Only the address and name are required. If the storage limit is empty, the unit’s default
          applies; if the unit is empty, the mailbox goes into the root unit. Separate several
          aliases in one cell with spaces or semicolons. Users with a private address get an email
          there with a link to set their password, at most 100 users an hour. For the others, you
          get temporary passwords.
        </Text>
        <CodeBlock code={exampleCsv(example)} label="example list" />
      </Panel>
    </Stack>
  );
}

const exampleCsv = (domain: string) =>
  [
    "email,name,quota_mb,unit,aliases,private_address",
    `ann.lee@${domain},Ann Lee,10240,Sales / Berlin,ann@${domain} press@${domain},`,
    `ben.okafor@${domain},Ben Okafor,,,,ben@home.example`,
  ].join("\n");

const SAMPLE = 5;
const SKIPPED_SHOWN = 20;
const NAMES: ColumnName[] = ["name", "given", "family"];

const CHOICES = [
  { value: "", label: "Skip column" },
  ...Object.entries(COLUMNS).map(([value, label]) => ({ value, label })),
];

export function ColumnMapping({
  list,
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
  const { rows, hasHead, exported } = list;
  const [columns, setColumns] = useState(list.columns);
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
    if (found === null && !isPending) onTry(toImportLines(list, columns));
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
      <Text component="ul" size="sm" m={0} pl="lg" style={{ listStyle: "revert" }}>
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

/** Whether the headings of all columns are known, so that nothing needs to be chosen. */
export const isMapped = ({ rows, columns, hasHead, exported }: ParsedList): boolean =>
  hasHead &&
  !columns.includes(null) &&
  (exported?.skipped ?? []).length === 0 &&
  mappingError(rows, columns) === null;

function mappingError(rows: string[][], columns: (ColumnName | null)[]): string | null {
  if (rows.length === 0) return "The list has no lines";
  if (rows.length > LINES_MAX)
    return `The list has ${formatCount(rows.length)} lines. You can import up to 5,000 at a time, so split it`;
  if (!columns.includes("email")) return "Select the column with the email addresses";
  const hasNames = NAMES.some((name) => columns.includes(name));
  return hasNames ? null : "Select the column with the names";
}
