import { Button, Group, Text } from "@mantine/core";

import {
  addressCount,
  originLabels,
} from "#app/console/(pages)/suppressions/suppression-labels.ts";
import { formatCount, typographic } from "#app/console/ui/format.ts";

import classes from "./import-suppressions.module.css";
import { countOrigins, type ImportLine } from "./import-lines.ts";
import { LINES_MAX } from "./read-list-file.ts";
import type { ImportState } from "./use-import.ts";

const SHOWN = 10;

/** The result that importing the file would have. */
export function ImportPreview({
  state,
  lines,
  onAdd,
  onCancel,
}: {
  state: ImportState;
  lines: ImportLine[];
  onAdd: () => void;
  onCancel: () => void;
}) {
  const { counts, fileName, format, isCut } = state;
  const found = lines.length - counts.header;
  return (
    <>
      <Text role="status">
        {fileName} has {addressCount(found)}.{format !== "" && ` Format: ${format}.`}
        {isCut && ` Only the first ${formatCount(LINES_MAX)} lines were read.`}
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

export function ImportCounts({ counts }: { counts: [name: string, count: number][] }) {
  return (
    <dl className={classes.counts}>
      {counts.map(([name, count]) => (
        <div key={name} className={classes.count}>
          <dt>{name}</dt>
          <dd>{formatCount(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The reasons that the new addresses will have. */
function NewByReason({ lines }: { lines: ImportLine[] }) {
  const reasons = [...countOrigins(lines)].map(
    ([origin, count]) => `${originLabels[origin].label} ${formatCount(count)}`,
  );
  if (reasons.length === 0) return null;
  return <Text>New addresses by reason: {reasons.join(", ")}.</Text>;
}

function InvalidLines({ lines }: { lines: ImportLine[] }) {
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
