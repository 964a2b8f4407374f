"use client";

import { Tabs, Text } from "@mantine/core";

import type { HeldDetail } from "#app/console/(pages)/quarantine/queries.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./content.module.css";

/** What the message says, as text only: nothing of it is loaded, run or linked. */
export function Content({ message }: { message: HeldDetail }) {
  return (
    <Panel title="Message">
      <Tabs defaultValue="text">
        <Tabs.List mb="sm">
          <Tabs.Tab value="text">Text</Tabs.Tab>
          <Tabs.Tab value="source">Source</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="text">
          {message.is_from_html && (
            <Text size="sm" c="dimmed" mb="xs">
              It is a web page. Only its words are shown, hidden ones too.
            </Text>
          )}
          {message.text === "" ? (
            <Text c="dimmed">It has no text.</Text>
          ) : (
            <div className={classes.text} tabIndex={0} role="region" aria-label="Text">
              {message.text}
            </div>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="source">
          {message.is_cut && (
            <Text size="sm" c="dimmed" mb="xs">
              Only its beginning is shown.
            </Text>
          )}
          <CodeBlock code={message.source} what="source of the message" />
        </Tabs.Panel>
      </Tabs>
    </Panel>
  );
}
