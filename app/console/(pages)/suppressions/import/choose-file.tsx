"use client";

import { Button, Text } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";

import { formatCount } from "#app/console/ui/format.ts";

import classes from "./import-suppressions.module.css";
import { LINES_MAX } from "./read-list-file.ts";

/** A file picker that also accepts dropped files. */
export function ChooseFile({
  error,
  onFile,
}: {
  error: Error | null;
  onFile: (file: File) => void;
}) {
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
        kept. Up to {formatCount(LINES_MAX)} lines.
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
