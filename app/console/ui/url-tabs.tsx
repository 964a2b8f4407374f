"use client";

import { Tabs } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";

import { replaceSearch } from "./url-search.ts";

/** The open tab of `UrlTabs`. */
export function useTab<Name extends string>(labels: Partial<Record<Name, string>>): Name {
  const names = Object.keys(labels) as Name[];
  const asked = useSearchParams().get("tab");
  return names.find((name) => name === asked) ?? names[0]!;
}

/**
 * Tabs, the open one of which is in the URL: the first unless it has `?tab`.
 *
 * @param children a `Tabs.Panel` for each
 */
export function UrlTabs({
  labels,
  children,
}: {
  labels: Record<string, string>;
  children: ReactNode;
}) {
  const [first] = Object.keys(labels);
  return (
    <Tabs
      value={useTab(labels)}
      onChange={(next) => replaceSearch(next === first ? "?" : `?tab=${next}`)}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {Object.entries(labels).map(([name, label]) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {children}
    </Tabs>
  );
}
