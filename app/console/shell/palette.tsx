"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";

import { topicUrl, OPERATOR_TOPICS, type Topic, topics } from "#app/console/(pages)/help/topics.ts";
import type { Me } from "#app/console/session-queries.ts";

import { commands } from "./commands.ts";
import { navigation } from "./navigation.ts";
import classes from "./palette.module.css";
import { searchResultUrl, kindLabels, searchQuery } from "./search-query.ts";
import { visibleNavigation } from "./visible-navigation.ts";

const DEBOUNCE_MS = 150;
const LIST_HEIGHT = 440;

type Item = { label: string; href: string; detail?: string; keywords?: string; external?: true };
type ItemGroup = { label: string; items: Item[] };

/** The command palette. Opens whenever `asked` increases. */
export function Palette({ me, asked }: { me: Me; asked: number }) {
  const [query, setQuery] = useState("");
  const groups = useGroups(me, query);
  const router = useRouter();
  useEffect(() => spotlight.open(), [asked]);

  // Results arrive after typing: select the first, so that Enter opens it.
  const shown = groups.flatMap(({ items }) => items.map(({ href }) => href)).join(" ");
  useEffect(() => {
    if (document.querySelector("[data-action][data-selected]")) return;
    document.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  }, [shown]);

  function go({ href, external }: Item) {
    if (external) window.open(href, "_blank", "noopener");
    else router.push(href);
  }

  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={LIST_HEIGHT}
      // Fixed position: the palette must not move as the list grows and shrinks.
      centered={false}
      yOffset="12vh"
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      transitionProps={{ duration: 80, transition: "fade" }}
      classNames={{ content: classes.content, action: classes.action, actionsGroup: classes.group }}
      attributes={{ root: { "aria-label": "Search and commands" } }}
    >
      <Spotlight.Search
        placeholder="Search pages, commands, addresses, and IDs"
        aria-label="Search pages, commands, addresses, and IDs"
        leftSection={<IconSearch size={16} aria-hidden="true" />}
        maxLength={200}
      />
      <Spotlight.ActionsList>
        {groups.map(({ label, items }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {items.map((item) => (
              <Spotlight.Action key={`${item.href} ${item.label}`} onClick={() => go(item)}>
                <span className={classes.label}>{item.label}</span>
                {item.detail && <span className={classes.detail}>{item.detail}</span>}
              </Spotlight.Action>
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>No results</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useGroups(me: Me, query: string): ItemGroup[] {
  const [wanted] = useDebouncedValue(query.trim(), DEBOUNCE_MS);
  const found = useQuery(searchQuery(wanted));
  const results = query.trim() === "" ? [] : (found.data ?? []);
  const local = localGroups(me).map(({ label, items }) => ({
    label,
    items: items.filter((item) => matches(item, query)),
  }));
  const things = results.map((thing) => ({
    label: thing.title,
    href: searchResultUrl(thing),
    detail: [kindLabels[thing.kind], thing.detail].filter(Boolean).join(" · "),
  }));
  const [pages, doing, help] = local;
  const all = [pages!, doing!, { label: "Results", items: things }];
  return [...all, ...(query.trim() === "" ? [] : [help!])].filter(({ items }) => items.length > 0);
}

function localGroups(me: Me): ItemGroup[] {
  const pages: Item[] = visibleNavigation(navigation, me).flatMap(({ group, entries }) =>
    entries.map(({ label, href, external }) => ({
      ...{ label, href, detail: group },
      ...(external && { external }),
    })),
  );
  const own = [
    {
      label: "Your profile",
      href: "/console/profile",
      keywords: "password passkey session security",
    },
    { label: "Help", href: "/console/help" },
  ];
  const may = (needs: readonly string[]) => needs.some((need) => me.privileges.includes(need));
  const names = (Object.keys(topics) as Topic[]).filter(
    (topic) => me.is_operator || !OPERATOR_TOPICS.includes(topic),
  );
  return [
    { label: "Go to", items: [...pages, ...own] },
    { label: "Commands", items: commands.filter(({ needs }) => may(needs)) },
    {
      label: "Help",
      items: names.map((topic) => ({
        ...{ label: topics[topic].title, href: topicUrl(topic) },
        ...{ detail: topics[topic].about, keywords: topics[topic].words },
      })),
    },
  ];
}

/** Whether every typed word is the prefix of one of the item's words. */
function matches({ label, keywords = "", detail = "" }: Item, query: string): boolean {
  const own = `${label} ${keywords} ${detail}`.toLowerCase().split(/\s+/);
  const typed = query.toLowerCase().split(/\s+/).filter(Boolean);
  return typed.every((word) => own.some((one) => one.startsWith(word)));
}
