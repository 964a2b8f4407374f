import classes from "./status.module.css";

/** What a state means to the reader: done, waiting or delayed, failed, for information, or nothing. */
export type Meaning = "done" | "waiting" | "failed" | "informing" | "none";

/** A state: its colour and always its word. */
export function Status({ meaning, word }: { meaning: Meaning; word: string }) {
  return (
    <span className={classes.status}>
      <Dot meaning={meaning} />
      {word}
    </span>
  );
}

export function Dot({ meaning }: { meaning: Meaning }) {
  return <span className={classes.dot} data-meaning={meaning} aria-hidden="true" />;
}
