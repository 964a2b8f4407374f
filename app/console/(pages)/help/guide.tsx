"use client";

import { Skeleton, Title } from "@mantine/core";
import type { ReactNode } from "react";

import { useMe } from "#app/console/session.ts";

import { guides } from "./guides/index.ts";
import classes from "./help.module.css";
import type { Topic } from "./topics.ts";

/** Values for the examples in guides. */
export type GuideContext = {
  /** Base URL of the API and the console. */
  url: string;
  /** One of the company's verified domains, or a placeholder. */
  domain: string;
  email: string;
};

/** `id` is the section's URL fragment. */
export type GuideSection = { id: string; title: string; body: ReactNode };

export function HelpGuide({ topic }: { topic: Topic }) {
  const me = useMe();
  if (!me) return <Skeleton height={400} />;
  const sections = guides[topic]({
    url: window.location.origin,
    domain: me.company.sendingDomain ?? "your-domain.example",
    email: me.email,
  });
  return (
    <div className={classes.guide}>
      <article className={classes.text}>
        {sections.map(({ id, title, body }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`}>
            <Title order={2} id={`${id}-title`}>
              {title}
            </Title>
            {body}
          </section>
        ))}
      </article>
      <nav className={classes.contents} aria-label="On this page">
        <p>On this page</p>
        {sections.map(({ id, title }) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
      </nav>
    </div>
  );
}
