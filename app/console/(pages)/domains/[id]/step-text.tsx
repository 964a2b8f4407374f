import { CopyButton } from "#app/console/ui/copy-button.tsx";

import classes from "./diagnosis.module.css";

/** Longer than this a value is to be copied rather than read. */
const READ_MAX = 60;
const SHOWN = { start: 28, end: 8 };

/** A sequence of quoted strings, as a zone file has them. */
const QUOTED = String.raw`"[^"]*"(?: "[^"]*")*`;

/** What is entered as the host, as the doctor's steps name it. */
const HOST = String.raw`(?<=with the host )[^\s(]+`;

/** A step to take. What is to be entered stands out; a value can be copied, and a long one is shown by its ends. */
export function StepText({ step, value }: { step: string; value: string }) {
  const literal = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const parts = step.split(new RegExp(`(${literal ? `${literal}|` : ""}${QUOTED}|${HOST})`));
  return parts.map((part, place) =>
    place % 2 === 1 ? (
      <Entered key={place} text={part} isValue={part === value || part.startsWith('"')} />
    ) : (
      <span key={place}>{part}</span>
    ),
  );
}

function Entered({ text, isValue }: { text: string; isValue: boolean }) {
  const isLong = text.length > READ_MAX;
  return (
    <>
      <code className={classes.value}>
        {isLong ? `${text.slice(0, SHOWN.start)}…${text.slice(-SHOWN.end)}` : text}
      </code>
      {isValue && (
        <>
          {" "}
          <CopyButton value={text} what="value of this step" />
        </>
      )}
    </>
  );
}
