"use client";

import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { type SubmitEvent, useRef, useState } from "react";

import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** Characters. */
const LARGE = 10_000;
const FILE_MAX = 5 * 1024 * 1024;

/** A list, pasted or from a file. */
export function ImportListInput({
  text,
  example,
  onChange,
  onRead,
}: {
  text: string;
  /** A domain of the company. */
  example: string;
  onChange: (text: string) => void;
  onRead: () => void;
}) {
  const file = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (text.trim() === "") setProblem("Paste a list, or choose a file");
    else onRead();
  }

  async function handleFile(chosen: File | undefined) {
    if (!chosen) return;
    if (chosen.size > FILE_MAX) setProblem("The file is larger than 5 MB");
    else {
      setProblem(null);
      onChange(await chosen.text());
    }
  }

  return (
    <Stack gap="md">
      <Panel title="The list">
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Stack gap="md">
            <Textarea
              label="Lines of CSV"
              description="Paste them, or cells of a spreadsheet, or drop a file here. At most 5,000 lines."
              rows={10}
              value={text}
              onChange={(event) => {
                setProblem(null);
                onChange(event.currentTarget.value);
              }}
              onPaste={(event) => {
                const pasted = event.clipboardData.getData("text/plain");
                if (pasted.length < LARGE) return;
                // Thousands of lines that the browser itself inserts take it minutes.
                event.preventDefault();
                const { selectionStart: from, selectionEnd: to } = event.currentTarget;
                setProblem(null);
                onChange(text.slice(0, from) + pasted + text.slice(to));
              }}
              // A file that is dropped would be opened in place of the page.
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
              <Button type="submit">Read the list</Button>
              <Button
                variant="default"
                leftSection={<IconUpload size={14} />}
                onClick={() => file.current?.click()}
              >
                Choose a file
              </Button>
              <input
                ref={file}
                type="file"
                accept=".csv,.txt,.tsv,text/csv,text/plain"
                aria-label="File with the list"
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
      <Panel title="What it may have">
        <Text c="dimmed" mb="md">
          Only address and name are needed. Without a size a mailbox gets its unit&rsquo;s, without
          a unit it is in the root. Several aliases stand in one cell with spaces or semicolons
          between.
        </Text>
        <CodeBlock code={exampleCsv(example)} label="Example of a list" />
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
