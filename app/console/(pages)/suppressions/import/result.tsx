import { Button, Group, Text } from "@mantine/core";
import Link from "next/link";

import { saveCsv, toCsv } from "#app/console/(pages)/suppressions/csv.ts";
import { addressesInWords } from "#app/console/(pages)/suppressions/suppression-words.ts";

import type { JudgedLine } from "./judged-lines.ts";
import { Counts } from "./preview.tsx";
import type { ImportState } from "./use-import.ts";

/** What became of the file, and what of it was refused as a file of its own. */
export function Result({
  state: { counts },
  lines,
  onAgain,
}: {
  state: ImportState;
  lines: JudgedLine[];
  onAgain: () => void;
}) {
  return (
    <>
      <Text role="status">
        Done: your emails skip {addressesInWords(counts.added)} more from now on.
      </Text>
      <Counts
        counts={[
          ["Suppressed", counts.added],
          ["There already", counts.already],
          ["Twice in the file", counts.twice],
          ["Refused", counts.invalid],
        ]}
      />
      <Group gap="xs">
        <Button component={Link} href="/console/suppressions">
          Go to the list
        </Button>
        {counts.invalid > 0 && (
          <Button variant="default" onClick={() => void saveRefused(lines)}>
            Download refused lines
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          Import another file
        </Button>
      </Group>
    </>
  );
}

async function saveRefused(lines: JudgedLine[]) {
  const refused = lines.filter(({ outcome }) => outcome === "invalid");
  const rows = refused.map(({ line, text }) => [text, line, "This is no email address"]);
  saveCsv("refused-lines.csv", [await toCsv(rows, ["email", "line", "problem"])]);
}
