"use client";

import { Anchor, Text, Title } from "@mantine/core";
import Link from "next/link";
import { type ReactNode, useLayoutEffect } from "react";

import type { Topic } from "#app/console/(pages)/help/topics.ts";

import { HelpLink } from "./links.tsx";
import classes from "./page-header.module.css";

type PageHeaderProps = {
  title: ReactNode;
  /** The browser's title, for pages about one object: "ann@northwind.example · Mailboxes". */
  documentTitle?: string;
  description?: ReactNode;
  /** Adds a link to this help topic. */
  help?: Topic;
  action?: ReactNode;
};

/** @param description at most one sentence */
export const PageHeader = ({
  title,
  description,
  action,
  help,
  documentTitle,
}: PageHeaderProps) => (
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

/** Sets the browser's title to what the page shows: "ann@northwind.example · Mailboxes · Posthouse". */
function DocumentTitle({ children }: { children: string }) {
  useLayoutEffect(() => {
    const title = `${children} · Posthouse`;
    let former = title;
    // Next.js can write the page's general title later than this, while it hydrates.
    const apply = () => {
      if (document.title === title) return;
      former = document.title;
      document.title = title;
    };
    const changes = new MutationObserver(apply);
    changes.observe(document.head, { childList: true, subtree: true, characterData: true });
    apply();
    return () => {
      changes.disconnect();
      // The next page may have set its own already.
      if (document.title === title) document.title = former;
    };
  }, [children]);
  return null;
}

/** Links to a page's ancestors, outermost first. */
export const Breadcrumbs = ({ trail }: { trail: { label: string; href: string }[] }) => (
  <nav aria-label="Breadcrumb" className={classes.breadcrumbs}>
    <ol className={classes.list}>
      {trail.map(({ label, href }) => (
        <li key={href} className={classes.step}>
          <Anchor component={Link} href={href}>
            {label}
          </Anchor>
        </li>
      ))}
    </ol>
  </nav>
);
