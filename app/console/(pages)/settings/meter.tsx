import { useId } from "react";

import { type Meaning, Status } from "#app/console/ui/status.tsx";

import classes from "./meter.module.css";

const NEARLY = 0.8;

const numbers = new Intl.NumberFormat("en");

function shareOf(used: number, allowed: number | null): number {
  if (allowed === null) return 0;
  return allowed === 0 ? 1 : used / allowed;
}

function meaningOf(share: number): Meaning {
  if (share >= 1) return "failed";
  return share >= NEARLY ? "waiting" : "informing";
}

/**
 * So much of so much, as words and as a bar.
 *
 * @param allowed null for any number: there is no bar then
 */
export function Meter({
  name,
  used,
  allowed,
  words = (value) => numbers.format(value),
  note,
}: {
  name: string;
  used: number;
  allowed: number | null;
  words?: (value: number) => string;
  note?: string;
}) {
  const nameId = useId();
  const share = shareOf(used, allowed);
  const meaning = meaningOf(share);
  return (
    <div>
      <div className={classes.head}>
        <span id={nameId} className={classes.name}>
          {name}
        </span>
        <span className={classes.figures}>
          {allowed === null ? `${words(used)}, no limit` : `${words(used)} of ${words(allowed)}`}
        </span>
      </div>
      {allowed !== null && (
        <div
          className={classes.track}
          role="meter"
          aria-labelledby={nameId}
          aria-valuemin={0}
          aria-valuemax={allowed}
          aria-valuenow={Math.min(used, allowed)}
          aria-valuetext={`${words(used)} of ${words(allowed)}`}
        >
          <div
            className={classes.bar}
            data-meaning={meaning}
            style={{ width: `${Math.min(100, share * 100)}%` }}
          />
        </div>
      )}
      <div className={classes.note}>
        {meaning !== "informing" && (
          <Status meaning={meaning} word={share >= 1 ? "Used up" : "Nearly used up"} />
        )}
        {note && <span>{note}</span>}
      </div>
    </div>
  );
}
