"use client";

import { Title } from "@mantine/core";
import { useId } from "react";

import { useMe } from "#app/console/session.ts";
import { PrefetchLink } from "#app/console/ui/links.tsx";

import classes from "./help.module.css";
import { topicUrl, OPERATOR_TOPICS, type Topic, TOPIC_GROUPS, topics } from "./topics.ts";

/** Shows the operator topics to operators only. */
export function TopicList() {
  const me = useMe();
  return TOPIC_GROUPS.filter(
    ({ topics }) => topics !== OPERATOR_TOPICS || (me?.isOperator ?? false),
  ).map((group) => <TopicGroup key={group.name} {...group} />);
}

function TopicGroup({ name, topics: names }: { name: string; topics: readonly Topic[] }) {
  const titleId = useId();
  return (
    <section className={classes.group} aria-labelledby={titleId}>
      <Title order={2} id={titleId}>
        {name}
      </Title>
      <ul className={classes.topics}>
        {names.map((topic) => (
          <li key={topic}>
            <PrefetchLink href={topicUrl(topic)} className={classes.topic}>
              <span className={classes.topicTitle}>{topics[topic].title}</span>
              <span className={classes.about}>{topics[topic].about}</span>
            </PrefetchLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
