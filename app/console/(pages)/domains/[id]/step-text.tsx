import { CopyButton } from "#app/console/ui/copy-button.tsx";

import classes from "./record-diagnosis.module.css";

/** Longer values are abbreviated to their first and last characters. */
const FULL_LENGTH_MAX = 60;
const SHOWN = { start: 28, end: 8 };

/** One or more quoted strings, as in a zone file. */
const QUOTED = String.raw`"[^"]*"(?: "[^"]*")*`;

/** The host in the server's steps, which say "with the host HOST". */
const HOST = String.raw`(?<=with the host )[^\s(]+`;

/** One step of a fix. Highlights hosts and values; values can be copied. */
export function StepText({ step, value }: { step: string; value: string }) {
  const literal = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const parts = step.split(new RegExp(`(${literal ? `${literal}|` : ""}${QUOTED}|${HOST})`));
  return parts.map((part, place) =>
    place % 2 === 1 ? (
      <StepValue key={place} text={part} isValue={part === value || part.startsWith('"')} />
    ) : (
      <span key={place}>{part}</span>
    ),
  );
}

function StepValue({ text, isValue }: { text: string; isValue: boolean }) {
  const isLong = text.length > FULL_LENGTH_MAX;
  return (
    <>
      <code className={classes.value}>
        {isLong ? `${text.slice(0, SHOWN.start)}…${text.slice(-SHOWN.end)}` : text}
      </code>
      {isValue && (
        <>
          {" "}
          <CopyButton value={text} label="value" />
        </>
      )}
    </>
  );
}
