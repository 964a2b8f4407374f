import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

import type { Topic } from "#app/console/(pages)/help/topics.ts";

import { HelpLink } from "./help-link.tsx";
import classes from "./page-header.module.css";

/** The top of every page: its name, at most a sentence, and the main action at the right. */
export function PageHeader({
  title,
  description,
  action,
  help,
}: {
  title: ReactNode;
  description?: ReactNode;
  /** What the console explains of it. */
  help?: Topic;
  action?: ReactNode;
}) {
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <div>
          <Title order={1} className={classes.title}>
            {title}
          </Title>
          {help && <HelpLink topic={help} />}
        </div>
        {description && <Text c="dimmed">{description}</Text>}
      </div>
      {action && <div className={classes.action}>{action}</div>}
    </header>
  );
}
