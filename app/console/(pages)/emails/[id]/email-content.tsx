"use client";

import { Tabs, Text } from "@mantine/core";

import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./email-content.module.css";
import { EmailCodeSamples } from "./email-code-samples.tsx";
import { EmailPreview } from "./email-preview.tsx";
import { EmailSource } from "./email-source.tsx";

export function EmailContent({ email }: { email: EmailDetail }) {
  if (!email.content)
    return (
      <Panel title="Content">
        <Text c="dimmed">
          {email.status === "failed"
            ? "The email was never sent, so its content wasn’t stored."
            : "Content and attachments are deleted three days after sending. The delivery history is kept."}
        </Text>
      </Panel>
    );
  const { html, text } = email.content;
  const tabs = [
    html !== null && { name: "Preview", panel: <EmailPreview email={email} html={html} /> },
    { name: "Text", panel: <TextPart text={text} /> },
    html !== null && { name: "HTML", panel: <CodeBlock code={html} label="HTML source" /> },
    {
      name: "Source",
      panel: <EmailSource emailId={email.id} isSent={email.message_id !== null} />,
    },
    { name: "Code", panel: <EmailCodeSamples email={email} content={email.content} /> },
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
      <Text c="dimmed">
        No text was provided. Posthouse generates a plain-text version from the HTML when sending.
      </Text>
    );
  if (text === "") return <Text c="dimmed">Sent without a plain-text version, as requested.</Text>;
  return <CodeBlock code={text} label="text" />;
}
