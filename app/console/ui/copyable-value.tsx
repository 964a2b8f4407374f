import { CopyButton } from "./copy-button.tsx";
import classes from "./copyable-value.module.css";

export function CopyableValue({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes.copied}>
      <span className={classes.mono}>{value}</span>
      <CopyButton value={value} label={label} />
    </span>
  );
}
