"use client";

import { useQuery } from "@tanstack/react-query";

import { meQuery } from "#app/console/session-queries.ts";
import { NearLink } from "#app/console/ui/near-link.tsx";

import classes from "./help.module.css";
import { hrefOfTopic, OPERATORS_TOPICS, type Topic, topics } from "./topics.ts";

/** All that is explained; what is about the machine, for who runs it. */
export function TopicList() {
  const me = useQuery(meQuery);
  const names = (Object.keys(topics) as Topic[]).filter(
    (topic) => !OPERATORS_TOPICS.includes(topic) || me.data?.is_operator,
  );
  return (
    <ul className={classes.topics}>
      {names.map((topic) => (
        <li key={topic}>
          <NearLink href={hrefOfTopic(topic)} className={classes.topic}>
            <span className={classes.topicTitle}>{topics[topic].title}</span>
            <span className={classes.about}>{topics[topic].about}</span>
          </NearLink>
        </li>
      ))}
    </ul>
  );
}
