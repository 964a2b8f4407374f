import { Anchor } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";

import { topicUrl, type Topic, topics } from "#app/console/(pages)/help/topics.ts";

import classes from "./help-link.module.css";
import { PrefetchLink } from "./prefetch-link.tsx";

/** An icon that links to a help topic. */
export function HelpLink({ topic }: { topic: Topic }) {
  const label = `Help: ${topics[topic].title}`;
  return (
    <PrefetchLink href={topicUrl(topic)} className={classes.link} aria-label={label} title={label}>
      <IconHelpCircle size={18} stroke={1.75} aria-hidden="true" />
    </PrefetchLink>
  );
}

/** An inline link to a help topic. */
export function HelpTextLink({ topic }: { topic: Topic }) {
  return (
    <Anchor component={PrefetchLink} href={topicUrl(topic)} inherit underline="always">
      {topics[topic].title}
    </Anchor>
  );
}
