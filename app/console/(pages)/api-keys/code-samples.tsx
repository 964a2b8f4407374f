"use client";

import { Tabs, Text } from "@mantine/core";

import { CodeBlock } from "#app/console/ui/code-block.tsx";

import classes from "./code-samples.module.css";
import type { CodeSample } from "./sample-code.ts";

/** One tab per language. */
export function CodeSamples({ samples }: { samples: CodeSample[] }) {
  return (
    <Tabs defaultValue={samples[0]!.language} keepMounted={false}>
      <Tabs.List mb="sm" className={classes.languages}>
        {samples.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ language, note, code }) => (
        <Tabs.Panel key={language} value={language}>
          <Text size="sm" c="dimmed" mb="xs">
            {note}
          </Text>
          <CodeBlock code={code} label={`${language} code`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
