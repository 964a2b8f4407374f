import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

import type { Topic } from "#app/console/(pages)/help/topics.ts";

import { DocumentTitle } from "./document-title.tsx";
import { HelpLink } from "./help-link.tsx";
import classes from "./page-header.module.css";

/** @param description at most one sentence */
export function PageHeader({
  title,
  description,
  action,
  help,
  documentTitle,
}: {
  title: ReactNode;
  /** The browser's title, for pages about one object: "ann@northwind.example · Mailboxes". */
  documentTitle?: string;
  description?: ReactNode;
  /** Adds a link to this help topic. */
  help?: Topic;
  action?: ReactNode;
}) {
  return (
    <header className={classes.header}>
      {documentTitle && <DocumentTitle>{documentTitle}</DocumentTitle>}
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
