"use client";

import { Tabs, Text } from "@mantine/core";

import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { HtmlPreview } from "./html-preview.tsx";

/** What an email says: as a reader sees it, as text, and as it was sent. */
export function Content({ content }: { content: EmailDetail["content"] }) {
  if (!content)
    return (
      <Panel title="Content">
        <Text c="dimmed">Contents are deleted three days after sending. This one is gone.</Text>
      </Panel>
    );
  const { html, text } = content;
  return (
    <Panel title="Content">
      <Tabs defaultValue={html === null ? "text" : "preview"} keepMounted={false}>
        <Tabs.List mb="md">
          {html !== null && <Tabs.Tab value="preview">Preview</Tabs.Tab>}
          <Tabs.Tab value="text">Text</Tabs.Tab>
          {html !== null && <Tabs.Tab value="html">HTML</Tabs.Tab>}
        </Tabs.List>
        {html !== null && (
          <Tabs.Panel value="preview">
            <HtmlPreview html={html} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="text">
          <TextPart text={text} />
        </Tabs.Panel>
        {html !== null && (
          <Tabs.Panel value="html">
            <CodeBlock code={html} what="HTML source" />
          </Tabs.Panel>
        )}
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
