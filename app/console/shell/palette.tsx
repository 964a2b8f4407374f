"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";

import { topicUrl, OPERATOR_TOPICS, type Topic, topics } from "#app/console/(pages)/help/topics.ts";
import type { Me } from "#app/console/session-queries.ts";

import { acts } from "./acts.ts";
import { navigation } from "./navigation.ts";
import classes from "./palette.module.css";
import { hrefOfFound, kindWords, searchQuery } from "./search-query.ts";
import { visibleNavigation } from "./visible-navigation.ts";

/** How long nothing is typed before the server is asked. */
const PAUSE_MS = 150;
const LIST_HEIGHT = 440;

type Item = { label: string; href: string; detail?: string; words?: string; external?: true };
type ItemGroup = { label: string; items: Item[] };

/** Everything that one can go to, do or find, from the keyboard. Opens whenever `asked` grows. */
export function Palette({ me, asked }: { me: Me; asked: number }) {
  const [query, setQuery] = useState("");
  const groups = useGroups(me, query);
  const router = useRouter();
  useEffect(() => spotlight.open(), [asked]);

  // What is found comes after what was typed: Enter then means the first of it.
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
      // It stays where it is while one types and the list grows and shrinks.
      centered={false}
      yOffset="12vh"
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      transitionProps={{ duration: 80, transition: "fade" }}
      classNames={{ content: classes.content, action: classes.action, actionsGroup: classes.group }}
      attributes={{ root: { "aria-label": "Search and commands" } }}
    >
      <Spotlight.Search
        placeholder="Go to, do or find: a page, an address, an id"
        aria-label="Go to, do or find"
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
        {groups.length === 0 && <Spotlight.Empty>Nothing is called that</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useGroups(me: Me, query: string): ItemGroup[] {
  const [wanted] = useDebouncedValue(query.trim(), PAUSE_MS);
  const found = useQuery(searchQuery(wanted));
  const results = query.trim() === "" ? [] : (found.data ?? []);
  const local = localGroups(me).map(({ label, items }) => ({
    label,
    items: items.filter((item) => isMeant(item, query)),
  }));
  const things = results.map((thing) => ({
    label: thing.title,
    href: hrefOfFound(thing),
    detail: [kindWords[thing.kind], thing.detail].filter(Boolean).join(" · "),
  }));
  const [pages, doing, help] = local;
  const all = [pages!, doing!, { label: "Found", items: things }];
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
    { label: "Your profile", href: "/console/profile", words: "password passkey session security" },
    { label: "Help", href: "/console/help" },
  ];
  const may = (needs: readonly string[]) => needs.some((need) => me.privileges.includes(need));
  const names = (Object.keys(topics) as Topic[]).filter(
    (topic) => me.is_operator || !OPERATOR_TOPICS.includes(topic),
  );
  return [
    { label: "Go to", items: [...pages, ...own] },
    { label: "Do", items: acts.filter(({ needs }) => may(needs)) },
    {
      label: "Help",
      items: names.map((topic) => ({
        ...{ label: topics[topic].title, href: topicUrl(topic) },
        ...{ detail: topics[topic].about, words: topics[topic].words },
      })),
    },
  ];
}

/** Whether each word that was typed begins a word of what the thing is called. */
function isMeant({ label, words = "", detail = "" }: Item, query: string): boolean {
  const own = `${label} ${words} ${detail}`.toLowerCase().split(/\s+/);
  const typed = query.toLowerCase().split(/\s+/).filter(Boolean);
  return typed.every((word) => own.some((one) => one.startsWith(word)));
}
