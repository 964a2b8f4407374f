import { CopyButton } from "./copy-button.tsx";
import classes from "./mono.module.css";

/** A text of machines, to read and to copy. */
export function Mono({ value, what }: { value: string; what: string }) {
  return (
    <span className={classes.copied}>
      <span className={classes.mono}>{value}</span>
      <CopyButton value={value} what={what} />
    </span>
  );
}
