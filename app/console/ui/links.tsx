import { Anchor } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";
import Link, { useLinkStatus } from "next/link";
import { type ComponentProps, useEffect, useState } from "react";

import { type Topic, topics, topicUrl } from "#app/console/(pages)/help/topics.ts";
import { beginWaiting } from "#app/console/waiting.ts";

import classes from "./links.module.css";

/** A link that prefetches its page on hover, focus or touch, instead of when it scrolls into view. */
export function PrefetchLink({ children, ...link }: ComponentProps<typeof Link>) {
  const [shouldPrefetch, setShouldPrefetch] = useState(false);
  const startPrefetch = () => setShouldPrefetch(true);
  return (
    <Link
      {...link}
      prefetch={shouldPrefetch}
      onMouseEnter={startPrefetch}
      onFocus={startPrefetch}
      onTouchStart={startPrefetch}
    >
      {children}
      <PendingNavigation />
    </Link>
  );
}

/** Reports pending navigation to the progress line. */
function PendingNavigation() {
  const { pending } = useLinkStatus();
  useEffect(() => (pending ? beginWaiting() : undefined), [pending]);
  return null;
}

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
export const HelpTextLink = ({ topic }: { topic: Topic }) => (
  <Anchor component={PrefetchLink} href={topicUrl(topic)} inherit underline="always">
    {topics[topic].title}
  </Anchor>
);

/** An inline link to a console page. */
export const ConsoleLink = ({ to, children }: { to: string; children: string }) => (
  <Anchor component={PrefetchLink} href={`/console/${to}`} inherit underline="always">
    {children}
  </Anchor>
);
