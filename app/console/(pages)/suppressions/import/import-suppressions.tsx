"use client";

import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import Link from "next/link";
import { useRef, useState } from "react";

import { addressCount, originLabels } from "#app/console/(pages)/suppressions/labels.ts";
import classes from "#app/console/(pages)/suppressions/suppressions.module.css";
import { saveCsv } from "#app/console/ui/csv.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { formatCount, typographic } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { useLeaveGuard } from "#app/console/ui/leave-guard.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import { SUPPRESSION_LINES_MAX } from "./read-list-file.ts";
import {
  countOrigins,
  type SuppressionLine,
  type ImportState,
  useSuppressionImport,
} from "./use-import.ts";

const LIST = "/console/suppressions";

export function ImportSuppressions() {
  const { state, lines, ...actions } = useSuppressionImport();
  useLeaveGuard(state.stage === "adding", "The remaining addresses won’t be added.");
  return (
    <>
      <Breadcrumbs trail={[{ label: "Suppressions", href: LIST }]} />
      <PageHeader
        title="Import suppressions"
        description="Import addresses from a file. You can review the result before anything is saved."
      />
      <Panel>
        <Stack gap="md">
          {state.stage === "choosing" && <ChooseFile error={state.error} onFile={actions.start} />}
          {(state.stage === "reading" ||
            state.stage === "checking" ||
            state.stage === "adding") && (
            <ImportProgress state={state} onResume={actions.resume} onCancel={actions.startOver} />
          )}
          {state.stage === "checked" && (
            <SuppressionsPreview
              state={state}
              lines={lines()}
              onAdd={actions.add}
              onCancel={actions.startOver}
            />
          )}
          {state.stage === "done" && (
            <ImportResult state={state} lines={lines()} onAgain={actions.startOver} />
          )}
        </Stack>
      </Panel>
    </>
  );
}

type ImportProgressProps = { state: ImportState; onResume: () => void; onCancel: () => void };

/** The progress of reading, checking or adding, with a way to resume after an error. */
function ImportProgress({ state, onResume, onCancel }: ImportProgressProps) {
  const { stage, done, total, error, fileName } = state;
  const amount = `${formatCount(done)} of ${formatCount(total)} addresses`;
  const label = {
    reading: `Reading ${fileName}`,
    checking: `Checking ${amount}`,
    adding: `Importing ${amount}`,
  }[stage === "reading" || stage === "adding" ? stage : "checking"];
  return (
    <>
      <Text role="status">{error ? `Stopped after ${amount}.` : `${label}…`}</Text>
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        aria-label="Import progress"
        color="violet"
      />
      <FormError error={error} />
      <Group gap="xs">
        {error && <Button onClick={onResume}>Continue</Button>}
        {(error ?? stage !== "adding") && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Group>
    </>
  );
}

/** A file picker that also accepts dropped files. */
function ChooseFile({ error, onFile }: { error: Error | null; onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const handleFiles = (files: FileList | null) => {
    const file = files?.[0];
    if (file) onFile(file);
  };
  return (
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        handleFiles(event.dataTransfer.files);
      }}
    >
      {/* The server, which renders this first, doesn't know the reader's region. */}
      <Text suppressHydrationWarning>
        Upload an export from Resend, SendGrid, Postmark, Amazon SES or Mailgun, any CSV file with a
        column of email addresses, or a text file with one address per line. Reasons and dates are
        kept. Up to {formatCount(SUPPRESSION_LINES_MAX)} lines.
      </Text>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.txt,.tsv,.json,text/csv,text/plain,application/json"
        aria-label="File with addresses"
        onChange={(event) => handleFiles(event.currentTarget.files)}
      />
      <Button leftSection={<IconUpload size={14} />} onClick={() => input.current?.click()}>
        Choose file
      </Button>
      <Text size="sm" c="dimmed">
        Or drag and drop it here.
      </Text>
      {error && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          The file can’t be read. Choose it again, or save it as CSV first.
        </Text>
      )}
    </div>
  );
}

const SHOWN = 10;

type SuppressionsPreviewProps = {
  state: ImportState;
  lines: SuppressionLine[];
  onAdd: () => void;
  onCancel: () => void;
};

/** The result that importing the file would have. */
function SuppressionsPreview({ state, lines, onAdd, onCancel }: SuppressionsPreviewProps) {
  const { counts, fileName, format, isCut } = state;
  const found = lines.length - counts.header;
  return (
    <>
      <Text role="status">
        {fileName} has {addressCount(found)}.{format !== "" && ` Format: ${format}.`}
        {isCut && ` Only the first ${formatCount(SUPPRESSION_LINES_MAX)} lines were read.`}
      </Text>
      <ImportCounts
        counts={[
          ["New", counts.new],
          ["Already suppressed", counts.already],
          ["Duplicates", counts.duplicate],
          ["Invalid", counts.invalid],
        ]}
      />
      <NewByReason lines={lines} />
      <InvalidLines lines={lines} />
      <Group gap="xs">
        {counts.new > 0 && <Button onClick={onAdd}>Import {addressCount(counts.new)}</Button>}
        <Button variant="default" onClick={onCancel}>
          {counts.new > 0 ? "Cancel" : "Choose another file"}
        </Button>
      </Group>
    </>
  );
}

const ImportCounts = ({ counts }: { counts: [name: string, count: number][] }) => (
  <dl className={classes.counts}>
    {counts.map(([name, count]) => (
      <div key={name} className={classes.count}>
        <dt>{name}</dt>
        <dd>{formatCount(count)}</dd>
      </div>
    ))}
  </dl>
);

/** The reasons that the new addresses will have. */
function NewByReason({ lines }: { lines: SuppressionLine[] }) {
  const reasons = [...countOrigins(lines)].map(
    ([origin, count]) => `${originLabels[origin].label} ${formatCount(count)}`,
  );
  if (reasons.length === 0) return null;
  return <Text>New addresses by reason: {reasons.join(", ")}.</Text>;
}

function InvalidLines({ lines }: { lines: SuppressionLine[] }) {
  const invalid = lines.filter(({ outcome }) => outcome === "invalid");
  if (invalid.length === 0) return null;
  return (
    <div>
      <Text mb="xs">
        These lines can’t be imported and will be skipped
        {invalid.length > SHOWN &&
          ` (showing the first ${SHOWN} of ${formatCount(invalid.length)})`}
        :
      </Text>
      <ul className={classes.lines}>
        {invalid.slice(0, SHOWN).map(({ line, address, problem }) => (
          <li key={line}>
            <span>Line {line}</span>
            <code>{address || "(empty)"}</code>
            <span>{typographic(problem ?? "")}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

type ImportResultProps = { state: ImportState; lines: SuppressionLine[]; onAgain: () => void };

/** The result of the import, with a download of the invalid lines. */
const ImportResult = ({ state: { counts }, lines, onAgain }: ImportResultProps) => (
  <>
    <Text role="status">Import complete: {addressCount(counts.added)} added.</Text>
    <ImportCounts
      counts={[
        ["Added", counts.added],
        ["Already suppressed", counts.already],
        ["Duplicates", counts.duplicate],
        ["Invalid", counts.invalid],
      ]}
    />
    <Group gap="xs">
      <Button component={Link} href="/console/suppressions">
        View suppressions
      </Button>
      {counts.invalid > 0 && (
        <Button variant="default" onClick={() => void saveInvalidLines(lines)}>
          Download invalid lines
        </Button>
      )}
      <Button variant="default" onClick={onAgain}>
        Import another file
      </Button>
    </Group>
  </>
);

async function saveInvalidLines(lines: SuppressionLine[]) {
  const invalid = lines.filter(({ outcome }) => outcome === "invalid");
  const rows = invalid.map(({ line, address, problem }) => ({
    email: address,
    line,
    error: problem,
  }));
  await saveCsv("invalid-lines.csv", rows);
}
