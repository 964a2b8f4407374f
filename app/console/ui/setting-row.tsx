import { Text } from "@mantine/core";
import { type ReactNode, useId } from "react";

import classes from "./setting-row.module.css";

type SettingRowProps = {
  label: string;
  help: ReactNode;
  note: ReactNode;
  children: (labelId: string) => ReactNode;
};

/**
 * A setting in a list (`ul`): its label and help, with the control beside them.
 *
 * @param children the control, which is labelled by the given id
 * @param note below the control: where the value comes from, its bounds
 */
export function SettingRow({ label, help, note, children }: SettingRowProps) {
  const id = useId();
  return (
    <li className={classes.setting}>
      <div>
        <span id={id} className={classes.label}>
          {label}
        </span>
        <Text size="sm" c="dimmed" component="div">
          {help}
        </Text>
      </div>
      <div className={classes.value}>
        {children(id)}
        <Text size="sm" c="dimmed" component="div">
          {note}
        </Text>
      </div>
    </li>
  );
}
