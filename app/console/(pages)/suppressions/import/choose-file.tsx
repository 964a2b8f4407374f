"use client";

import { Button, Text } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";

import classes from "./import-suppressions.module.css";
import { LINES_MAX } from "./read-file.ts";

/** Takes a file by choosing it or by dropping it here. */
export function ChooseFile({
  error,
  onFile,
}: {
  error: Error | null;
  onFile: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const take = (files: FileList | null) => {
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
        take(event.dataTransfer.files);
      }}
    >
      <Text>
        A CSV file with a column of addresses, or a text file with one address a line. Up to{" "}
        {LINES_MAX.toLocaleString("en")} lines.
      </Text>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        aria-label="File with addresses"
        onChange={(event) => take(event.currentTarget.files)}
      />
      <Button leftSection={<IconUpload size={14} />} onClick={() => input.current?.click()}>
        Choose file
      </Button>
      <Text size="sm" c="dimmed">
        Or drop it here.
      </Text>
      {error && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          The file cannot be read. Choose it again, or save it once more as CSV.
        </Text>
      )}
    </div>
  );
}
