import { Tabs, Text } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";

import { CodeBlock } from "./code.tsx";
import classes from "./tabs.module.css";
import { replaceSearch } from "./url-search.ts";

/** The open tab of `UrlTabs`. */
export function useTab<Name extends string>(labels: Partial<Record<Name, string>>): Name {
  const names = Object.keys(labels) as Name[];
  const asked = useSearchParams().get("tab");
  return names.find((name) => name === asked) ?? names[0]!;
}

type UrlTabsProps = {
  labels: Record<string, string>;
  preloads?: Record<string, () => void>;
  children: ReactNode;
};

/**
 * Tabs, the open one of which is in the URL: the first unless it has `?tab`.
 *
 * @param preloads load a tab's script when the pointer or the focus reaches it
 * @param children a `Tabs.Panel` for each
 */
export function UrlTabs({ labels, preloads = {}, children }: UrlTabsProps) {
  const [first] = Object.keys(labels);
  return (
    <Tabs
      value={useTab(labels)}
      onChange={(next) => replaceSearch(next === first ? "?" : `?tab=${next}`)}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {Object.entries(labels).map(([name, label]) => (
          <Tabs.Tab
            key={name}
            value={name}
            onPointerEnter={preloads[name]}
            onFocus={preloads[name]}
          >
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {children}
    </Tabs>
  );
}

export type CodeSample = { language: string; note: string; code: string };

type CodeSamplesProps = { samples: CodeSample[]; noun?: string; setUp?: ReactNode };

/**
 * One tab per language.
 *
 * @param noun what the code is: "code", "receiver"
 * @param setUp follows the note of every sample
 */
export const CodeSamples = ({ samples, noun = "code", setUp }: CodeSamplesProps) => (
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
