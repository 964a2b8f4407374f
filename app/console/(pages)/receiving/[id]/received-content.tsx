"use client";

import { Tabs, Text } from "@mantine/core";

import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import type { ReceivedDetail } from "#app/console/(pages)/receiving/queries.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./received-content.module.css";

/** The text first: it loads, runs and links nothing. The HTML is in a frame without scripts. */
export function ReceivedContent({ email: { text, html, headers } }: { email: ReceivedDetail }) {
  const hasText = text !== null && text.trim() !== "";
  return (
    <Panel title="Message">
      <Tabs defaultValue={hasText || html === null ? "text" : "html"}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="text">Text</Tabs.Tab>
          {html !== null && <Tabs.Tab value="html">HTML</Tabs.Tab>}
          <Tabs.Tab value="headers">Headers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="text">
          {hasText ? (
            <div className={classes.text} tabIndex={0} role="region" aria-label="Text">
              {text}
            </div>
          ) : (
            <Text c="dimmed">No text version.</Text>
          )}
        </Tabs.Panel>
        {html !== null && (
          <Tabs.Panel value="html">
            <HtmlPreview html={html} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="headers">
          <CodeBlock
            code={Object.entries(headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join("\n")}
            label="headers"
          />
        </Tabs.Panel>
      </Tabs>
    </Panel>
  );
}
