import { Button, Group, Text } from "@mantine/core";

import { addressesInWords } from "#app/console/(pages)/suppressions/suppression-words.ts";

import classes from "./import-suppressions.module.css";
import type { JudgedLine } from "./judged-lines.ts";
import { LINES_MAX } from "./read-file.ts";
import type { ImportState } from "./use-import.ts";

const SHOWN = 10;

/** What the file would do, before it does. */
export function Preview({
  state,
  lines,
  onAdd,
  onCancel,
}: {
  state: ImportState;
  lines: JudgedLine[];
  onAdd: () => void;
  onCancel: () => void;
}) {
  const { counts, fileName, isCut } = state;
  return (
    <>
      <Text role="status">
        {fileName} has {addressesInWords(lines.length)}.
        {isCut && ` Only its first ${LINES_MAX.toLocaleString("en")} lines were read.`}
      </Text>
      <Counts
        counts={[
          ["New", counts.new],
          ["There already", counts.already],
          ["Twice in the file", counts.twice],
          ["No address", counts.invalid],
        ]}
      />
      <WrongLines lines={lines} />
      <Group gap="xs">
        {counts.new > 0 && <Button onClick={onAdd}>Suppress {addressesInWords(counts.new)}</Button>}
        <Button variant="default" onClick={onCancel}>
          {counts.new > 0 ? "Cancel" : "Choose another file"}
        </Button>
      </Group>
    </>
  );
}

export function Counts({ counts }: { counts: [name: string, count: number][] }) {
  return (
    <dl className={classes.counts}>
      {counts.map(([name, count]) => (
        <div key={name} className={classes.count}>
          <dt>{name}</dt>
          <dd>{count.toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
  );
}

function WrongLines({ lines }: { lines: JudgedLine[] }) {
  const wrong = lines.filter(({ outcome }) => outcome === "invalid");
  if (wrong.length === 0) return null;
  return (
    <div>
      <Text mb="xs">
        These lines have no email address and are left out
        {wrong.length > SHOWN && `; the first ${SHOWN} of ${wrong.length.toLocaleString("en")}`}:
      </Text>
      <ul className={classes.lines}>
        {wrong.slice(0, SHOWN).map(({ line, text }) => (
          <li key={line}>
            <span>Line {line}</span>
            <code>{text || "(empty)"}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
