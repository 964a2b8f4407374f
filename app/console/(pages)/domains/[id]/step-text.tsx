import { CopyButton } from "#app/console/ui/copy-button.tsx";

import classes from "./diagnosis.module.css";

/** Longer than this a value is to be copied rather than read. */
const READ_MAX = 60;
const SHOWN = { start: 28, end: 8 };

/** A sequence of quoted strings, as a zone file has them. */
const QUOTED = String.raw`"[^"]*"(?: "[^"]*")*`;

/** A step to take. A long value in it is shown by its ends, to copy whole. */
export function StepText({ step, value }: { step: string; value: string }) {
  const literal = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const parts = step.split(new RegExp(`(${literal ? `${literal}|` : ""}${QUOTED})`));
  return parts.map((part, place) =>
    place % 2 === 1 && part.length > READ_MAX ? (
      <span key={place}>
        <code className={classes.value}>
          {part.slice(0, SHOWN.start)}…{part.slice(-SHOWN.end)}
        </code>{" "}
        <CopyButton value={part} what="value of this step" />
      </span>
    ) : (
      <span key={place}>{part}</span>
    ),
  );
}
