"use client";

import { Skeleton, Title } from "@mantine/core";
import type { ReactNode } from "react";

import { useMe } from "#app/console/rights.ts";

import { guides } from "./guides/index.ts";
import classes from "./help.module.css";
import type { Topic } from "./topics.ts";

/** Whose words the examples are made of. */
export type Reader = {
  /** Where the API and the console are. */
  url: string;
  /** A domain of theirs that may send, or one to be replaced. */
  domain: string;
  email: string;
};

/** A part of a guide; `id` is its place in the address. */
export type Section = { id: string; title: string; body: ReactNode };

/** What the console explains of one topic, with the reader's own domain in it. */
export function Guide({ topic }: { topic: Topic }) {
  const me = useMe();
  if (!me) return <Skeleton height={400} />;
  const sections = guides[topic]({
    url: window.location.origin,
    domain: me.company.sending_domain ?? "your-domain.example",
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
