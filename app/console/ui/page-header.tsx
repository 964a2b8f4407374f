import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

import classes from "./page-header.module.css";

/** The top of every page: its name, at most a sentence, and the main action at the right. */
export function PageHeader({
  title,
  sentence,
  action,
}: {
  title: ReactNode;
  sentence?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <Title order={1}>{title}</Title>
        {sentence && <Text c="dimmed">{sentence}</Text>}
      </div>
      {action && <div className={classes.action}>{action}</div>}
    </header>
  );
}
