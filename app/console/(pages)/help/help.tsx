"use client";

import { Skeleton, Text, Title } from "@mantine/core";
import { Children, type ReactElement, useId, useState } from "react";

import { useMe } from "#app/console/session.ts";
import { matchItem } from "#app/console/shell/synonyms.ts";
import { PrefetchLink } from "#app/console/ui/links.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";

import type { Guide, GuideContext, GuideSectionProps } from "./guide-section.tsx";
import { mailGuides } from "./guides/mail.tsx";
import { managingGuides } from "./guides/managing.tsx";
import { operatingGuides } from "./guides/operating.tsx";
import { sendingGuides } from "./guides/sending.tsx";
import classes from "./help.module.css";
import { OPERATOR_TOPICS, type Topic, TOPIC_GROUPS, topics, topicUrl } from "./topics.ts";

export function HelpGuide({ topic }: { topic: Topic }) {
  const me = useMe();
  if (!me) return <Skeleton height={400} />;
  const guide = guides[topic]({
    url: window.location.origin,
    domain: me.company.sendingDomain ?? "your-domain.example",
    email: me.email,
  });
  const sections = Children.toArray(guide.props.children) as ReactElement<GuideSectionProps>[];
  return (
    <div className={classes.guide}>
      <article className={classes.text}>{guide}</article>
      <nav className={classes.contents} aria-label="On this page">
        <p>On this page</p>
        {sections.map(({ props: { id, title } }) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
      </nav>
    </div>
  );
}

/** Shows the operator topics to operators only. */
export function TopicList() {
  const me = useMe();
  const [search, setSearch] = useState("");
  const groups = TOPIC_GROUPS.filter(
    ({ topics }) => topics !== OPERATOR_TOPICS || (me?.isOperator ?? false),
  )
    .map(({ name, topics: names }) => ({
      name,
      topics: names.filter((topic) => isFound(topic, search)),
    }))
    .filter(({ topics }) => topics.length > 0);
  return (
    <>
      <SearchField value={search} onSearch={setSearch} noun="topics" placeholder="Search topics" />
      {groups.map((group) => (
        <TopicGroup key={group.name} {...group} />
      ))}
      {groups.length === 0 && <Text role="status">No matching topics</Text>}
    </>
  );
}

const isFound = (topic: Topic, search: string) =>
  matchItem({ label: topics[topic].title, detail: topics[topic].about }, search) !== null;

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

const guides: Record<Topic, (reader: GuideContext) => Guide> = {
  ...sendingGuides,
  ...mailGuides,
  ...managingGuides,
  ...operatingGuides,
};
