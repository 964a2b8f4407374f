"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { useWarnBeforeUnload } from "#app/console/ui/form/use-form.ts";
import { formatCount } from "#app/console/ui/format.ts";

import { passwordsCsv } from "./passwords-csv.ts";
import { PrintWelcomeSheets, type NewCredentials } from "./print-welcome-sheets.tsx";
import { SHEETS_MAX } from "./queries.ts";

/**
 * Offers new temporary passwords as a CSV file and as welcome sheets. Warns before the page is left.
 */
export function TemporaryPasswords({
  people,
  onStored,
}: {
  people: (NewCredentials & { name: string })[];
  onStored: () => void;
}) {
  useWarnBeforeUnload();
  const parts = Array.from({ length: Math.ceil(people.length / SHEETS_MAX) }, (_, part) =>
    people.slice(part * SHEETS_MAX, (part + 1) * SHEETS_MAX),
  );
  return (
    <Stack gap="sm">
      <Text>
        {people.length === 1
          ? "1 temporary password was created. You won’t be able to see it again. Print or download it now."
          : `${formatCount(people.length)} temporary passwords were created. You won’t be able to see them again. Print or download them now.`}
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
              : `Print welcome sheets ${at * SHEETS_MAX + 1} to ${at * SHEETS_MAX + part.length}`}
          </PrintWelcomeSheets>
        ))}
        <Button ml="auto" onClick={onStored}>
          I’ve saved {people.length === 1 ? "it" : "them"}
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
