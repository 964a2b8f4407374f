"use client";

import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { type SubmitEvent, useRef, useState } from "react";

import { CodeBlock } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { typographic } from "#app/console/ui/format.ts";

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
  onRead: () => Promise<void>;
}) {
  const file = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);

  async function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (text.trim() === "") {
      setProblem("Paste a list or choose a file");
      return;
    }
    try {
      await onRead();
    } catch (error) {
      setProblem(typographic((error as Error).message));
    }
  }

  async function handleFile(chosen: File | undefined) {
    if (!chosen) return;
    if (chosen.size > FILE_MAX)
      setProblem("The file is larger than 5 MB. Split it and import each part");
    else {
      setProblem(null);
      onChange(await chosen.text());
    }
  }

  return (
    <Stack gap="md">
      <Panel title="List">
        <form onSubmit={(event) => void handleSubmit(event)} method="post" noValidate>
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
          aliases in one cell with spaces or semicolons.
        </Text>
        <CodeBlock code={exampleCsv(example)} label="example list" />
      </Panel>
    </Stack>
  );
}

const exampleCsv = (domain: string) =>
  [
    "email,name,quota_mb,unit,aliases",
    `ann.lee@${domain},Ann Lee,10240,Sales / Berlin,ann@${domain} press@${domain}`,
    `ben.okafor@${domain},Ben Okafor,,,`,
  ].join("\n");
