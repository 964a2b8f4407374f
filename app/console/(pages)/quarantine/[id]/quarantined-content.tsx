"use client";

import { Tabs, Text } from "@mantine/core";

import type { QuarantineDetail } from "#app/console/(pages)/quarantine/queries.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./quarantined-content.module.css";

/** Plain text only, so that nothing in the message is loaded, run, or linked. */
export function QuarantinedContent({ message }: { message: QuarantineDetail }) {
  return (
    <Panel title="Message">
      <Tabs defaultValue="text">
        <Tabs.List mb="sm">
          <Tabs.Tab value="text">Text</Tabs.Tab>
          <Tabs.Tab value="source">Source</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="text">
          {message.isFromHtml && (
            <Text size="sm" c="dimmed" mb="xs">
              HTML message, shown as plain text. Text hidden in the HTML is included.
            </Text>
          )}
          {message.text === "" ? (
            <Text c="dimmed">No text.</Text>
          ) : (
            <div className={classes.text} tabIndex={0} role="region" aria-label="Text">
              {message.text}
            </div>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="source">
          {message.isCut && (
            <Text size="sm" c="dimmed" mb="xs">
              Only the beginning of the source is shown.
            </Text>
          )}
          <CodeBlock code={message.source} label="message source" />
        </Tabs.Panel>
      </Tabs>
    </Panel>
  );
}
