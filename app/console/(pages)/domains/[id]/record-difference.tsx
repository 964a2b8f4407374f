import { VisuallyHidden } from "@mantine/core";

import type { RecordProblem } from "#app/console/(pages)/domains/queries.ts";

import classes from "./record-difference.module.css";

type Compared = NonNullable<RecordProblem["difference"]>;
type Piece = Compared["expected"][number];

/** Compares the expected and the published value character by character, not by color alone. */
export function RecordDifference({ expected, found }: Compared) {
  const isMarked = [...expected, ...found].some(({ mark }) => mark !== "same");
  return (
    <div className={classes.difference}>
      <dl className={classes.texts}>
        <dt>Expected</dt>
        <dd>
          <DifferenceText pieces={expected} />
        </dd>
        <dt>Found</dt>
        <dd>{found.length > 0 ? <DifferenceText pieces={found} /> : "Nothing"}</dd>
      </dl>
      {isMarked && found.length > 0 && (
        <p className={classes.legend} aria-hidden="true">
          <ins className={classes.missing}>Underlined text</ins> is missing from DNS.{" "}
          <del className={classes.extra}>Struck-through text</del> shouldn’t be there.
        </p>
      )}
    </div>
  );
}

function DifferenceText({ pieces }: { pieces: Piece[] }) {
  return <code className={classes.text}>{pieces.map(differencePiece)}</code>;
}

function differencePiece({ text, mark }: Piece, place: number) {
  if (mark === "same") return <span key={place}>{text}</span>;
  const [Mark, tone] =
    mark === "missing" ? (["ins", "missing"] as const) : (["del", "extra"] as const);
  return (
    <Mark key={place} className={classes[tone]}>
      <VisuallyHidden component="span">{` [${tone}: `}</VisuallyHidden>
      {text}
      <VisuallyHidden component="span">{"] "}</VisuallyHidden>
    </Mark>
  );
}
