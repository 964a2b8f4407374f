"use client";

import { Tabs, Text } from "@mantine/core";

import { CodeBlock } from "#app/console/ui/code-block.tsx";

import { samples } from "./signature-sample-code.ts";
import classes from "./signature-samples.module.css";

export function SignatureSamples() {
  return (
    <Tabs defaultValue={samples[0]!.language} keepMounted={false}>
      <Tabs.List mb="md" className={classes.languages}>
        {samples.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ language, note, code }) => (
        <Tabs.Panel key={language} value={language}>
          <Text size="sm" c="dimmed" mb="xs">
            {note} Set the signing secret as <code>WEBHOOK_SECRET</code> in the environment.
          </Text>
          <CodeBlock code={code} label={`${language} receiver`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
