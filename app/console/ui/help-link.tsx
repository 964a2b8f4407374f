import { Anchor } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";

import { topicUrl, type Topic, topics } from "#app/console/(pages)/help/topics.ts";

import classes from "./help-link.module.css";
import { PrefetchLink } from "./prefetch-link.tsx";

/** Leads from a page to what the console explains of it. */
export function HelpLink({ topic }: { topic: Topic }) {
  const words = `Help: ${topics[topic].title}`;
  return (
    <PrefetchLink href={topicUrl(topic)} className={classes.link} aria-label={words} title={words}>
      <IconHelpCircle size={18} stroke={1.75} aria-hidden="true" />
    </PrefetchLink>
  );
}

/** The same as words, at the end of a text. */
export function HelpTextLink({ topic }: { topic: Topic }) {
  return (
    <Anchor component={PrefetchLink} href={topicUrl(topic)} inherit underline="always">
      {topics[topic].title}
    </Anchor>
  );
}
