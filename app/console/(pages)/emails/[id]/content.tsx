"use client";

import { Tabs, Text } from "@mantine/core";

import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./content.module.css";
import { CodeSamples } from "./code-samples.tsx";
import { Preview } from "./preview.tsx";
import { Source } from "./source.tsx";

/** What an email says: as a reader sees it, as text, as it was sent, and as code that sends it. */
export function Content({ email }: { email: EmailDetail }) {
  if (!email.content)
    return (
      <Panel title="Content">
        <Text c="dimmed">
          {email.status === "failed"
            ? "It was not handed over, so its content was not kept."
            : "Contents and files are deleted three days after sending. These are gone; what happened to the email stays."}
        </Text>
      </Panel>
    );
  const { html, text } = email.content;
  const tabs = [
    html !== null && { name: "Preview", panel: <Preview email={email} html={html} /> },
    { name: "Text", panel: <TextPart text={text} /> },
    html !== null && { name: "HTML", panel: <CodeBlock code={html} what="HTML source" /> },
    { name: "Source", panel: <Source emailId={email.id} isSent={email.message_id !== null} /> },
    { name: "Code", panel: <CodeSamples email={email} content={email.content} /> },
  ].filter((tab) => tab !== false);
  return (
    <Panel title="Content">
      <Tabs defaultValue={tabs[0]!.name} keepMounted={false}>
        <Tabs.List mb="md" className={classes.tabs}>
          {tabs.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, panel }) => (
          <Tabs.Panel key={name} value={name}>
            {panel}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

function TextPart({ text }: { text: string | null }) {
  if (text === null)
    return (
      <Text c="dimmed">No text was given: Posthouse makes it from the HTML when sending.</Text>
    );
  if (text === "") return <Text c="dimmed">Sent without a text part, as asked for.</Text>;
  return <CodeBlock code={text} what="text" />;
}
