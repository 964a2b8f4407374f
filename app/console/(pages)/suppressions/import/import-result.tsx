import { Button, Group, Text } from "@mantine/core";
import Link from "next/link";

import { saveCsv, toCsv } from "#app/console/(pages)/suppressions/csv.ts";
import { addressCount } from "#app/console/(pages)/suppressions/suppression-labels.ts";

import type { ImportLine } from "./import-lines.ts";
import { ImportCounts } from "./import-preview.tsx";
import type { ImportState } from "./use-import.ts";

/** The result of the import, with a download of the invalid lines. */
export function ImportResult({
  state: { counts },
  lines,
  onAgain,
}: {
  state: ImportState;
  lines: ImportLine[];
  onAgain: () => void;
}) {
  return (
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
}

async function saveInvalidLines(lines: ImportLine[]) {
  const invalid = lines.filter(({ outcome }) => outcome === "invalid");
  const rows = invalid.map(({ line, address, problem }) => [address, line, problem]);
  saveCsv("invalid-lines.csv", [await toCsv(rows, ["email", "line", "error"])]);
}
