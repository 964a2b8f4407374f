"use client";

import { Tabs, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { CodeBlock } from "#app/console/ui/code-block.tsx";

import classes from "./code-samples.module.css";

export type CodeSample = { language: string; note: string; code: string };

/**
 * One tab per language.
 *
 * @param noun what the code is: "code", "receiver"
 * @param setUp follows the note of every sample
 */
export function CodeSamples({
  samples,
  noun = "code",
  setUp,
}: {
  samples: CodeSample[];
  noun?: string;
  setUp?: ReactNode;
}) {
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
            {note} {setUp}
          </Text>
          <CodeBlock code={code} label={`${language} ${noun}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
