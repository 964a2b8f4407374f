"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { useWarnBeforeUnload } from "#app/console/(pages)/mailboxes/bulk-actions/use-batch.ts";

import { passwordsCsv } from "./passwords-csv.ts";
import { PrintWelcomeSheets, type NewCredentials } from "./print-welcome-sheets.tsx";
import { SHEETS_MAX } from "./queries.ts";

/**
 * Several temporary passwords in the moment they are made: one file, and sheets to print. Leaving the page
 * asks first.
 */
export function TemporaryPasswords({
  people,
  onStored,
}: {
  people: (NewCredentials & { name: string })[];
  onStored: () => void;
}) {
  useWarnBeforeUnload(true);
  const parts = Array.from({ length: Math.ceil(people.length / SHEETS_MAX) }, (_, part) =>
    people.slice(part * SHEETS_MAX, (part + 1) * SHEETS_MAX),
  );
  return (
    <Stack gap="sm">
      <Text>
        {people.length === 1
          ? "1 temporary password was made. It is shown nowhere and cannot be asked for again: take it along now."
          : `${people.length.toLocaleString("en")} temporary passwords were made. They are shown nowhere and cannot be asked for again: take them along now.`}
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => void download(people)}
        >
          Download list (CSV)
        </Button>
        {parts.map((part, at) => (
          <PrintWelcomeSheets key={part[0]!.address} people={part}>
            {parts.length === 1
              ? `Print welcome ${part.length === 1 ? "sheet" : "sheets"}`
              : `Print sheets ${at * SHEETS_MAX + 1} to ${at * SHEETS_MAX + part.length}`}
          </PrintWelcomeSheets>
        ))}
        <Button ml="auto" onClick={onStored}>
          I have stored {people.length === 1 ? "it" : "them"}
        </Button>
      </Group>
    </Stack>
  );
}

async function download(people: (NewCredentials & { name: string })[]): Promise<void> {
  const file = new Blob([await passwordsCsv(people)], { type: "text/csv;charset=utf-8" });
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = "temporary-passwords.csv";
  link.click();
  URL.revokeObjectURL(url);
}
