import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { topicUrl, OPERATOR_TOPICS, type Topic, topics } from "#app/console/(pages)/help/topics.ts";
import type { Privilege } from "#app/console/privileges.ts";
import { type Me, useSignOut } from "#app/console/session-queries.ts";

import { commands } from "./commands.ts";
import { OPEN_SHORTCUTS } from "./keyboard.tsx";
import { mailboxCommands, parseMailboxCommand } from "./mailbox-commands.ts";
import { navigation } from "./navigation.ts";
import { kindLabels, searchQuery, searchResultUrl, type SearchResult } from "./search-query.ts";
import { visibleNavigation } from "./visible-navigation.ts";

const DEBOUNCE_MS = 150;
/** The server searches emails from this length on. */
const EMAIL_TEXT_MIN = 3;

type Words = { label: string; detail?: string; keywords?: string };
export type PaletteItem = Words &
  (
    | { href: string; external?: true }
    | { run: () => void }
    /** Becomes the text of the search field. */
    | { typed: string }
  );
type ItemGroup = { label: string; items: PaletteItem[] };

/** What the palette offers for the text that was typed. */
export function usePaletteGroups(me: Me, query: string): ItemGroup[] {
  const { action, text } = parseMailboxCommand(query);
  const [wanted] = useDebouncedValue(text, DEBOUNCE_MS);
  const found = useQuery(searchQuery(wanted));
  const results = text === "" ? [] : (found.data ?? []);
  const isSearched = found.isSuccess && !found.isPlaceholderData && wanted === text;
  const actions = mailboxCommands(results, action);
  const own = useOwnCommands();
  const { pages, doing, help } = localGroups(me, own);
  const local = ({ label, items }: ItemGroup) => ({
    label,
    items: items.filter((item) => matches(item, query)),
  });
  const groups = [
    local(pages),
    local(doing),
    { label: "Actions", items: actions },
    { label: "Results", items: action === null ? results.map(resultItem) : [] },
    // With the results, not before: Enter opens the first item.
    { label: "Emails", items: isSearched && action === null ? emailSearch(me, text) : [] },
    ...(text === "" ? [] : [local(help)]),
  ];
  return groups.filter(({ items }) => items.length > 0);
}

const resultItem = (thing: SearchResult): PaletteItem => ({
  label: thing.title || "(no subject)",
  href: searchResultUrl(thing),
  detail: [kindLabels[thing.kind], thing.detail].filter(Boolean).join(" · "),
});

function emailSearch(me: Me, text: string): PaletteItem[] {
  if (text.length < EMAIL_TEXT_MIN || !me.privileges.includes("api_controls")) return [];
  const href = `/console/emails?search=${encodeURIComponent(text)}`;
  return [{ label: `Search all emails for “${text}”`, href }];
}

/** Commands about the session and the screen, which every admin has. */
function useOwnCommands(): PaletteItem[] {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const themes = [
    { scheme: "dark", label: "Use dark mode" },
    { scheme: "light", label: "Use light mode" },
    { scheme: "auto", label: "Use the system’s theme" },
  ] as const;
  return [
    ...themes
      .filter(({ scheme }) => scheme !== colorScheme)
      .map(({ scheme, label }) => ({
        label,
        keywords: "theme colors appearance night",
        run: () => setColorScheme(scheme),
      })),
    {
      label: "Keyboard shortcuts",
      keywords: "keys help",
      run: () => window.dispatchEvent(new Event(OPEN_SHORTCUTS)),
    },
    {
      label: "Sign out",
      keywords: "log out logout leave",
      run: signOut.start,
    },
  ];
}

function localGroups(me: Me, own: PaletteItem[]) {
  const pages: PaletteItem[] = visibleNavigation(navigation, me).flatMap(({ group, entries }) =>
    entries.map(({ label, href, external }) => ({
      label,
      href,
      detail: group,
      ...(external && { external }),
    })),
  );
  const personal = [
    {
      label: "Your profile",
      href: "/console/profile",
      keywords: "password passkey session security",
    },
    { label: "Help", href: "/console/help" },
  ];
  const may = (needs: readonly Privilege[]) => needs.some((need) => me.privileges.includes(need));
  const names = (Object.keys(topics) as Topic[]).filter(
    (topic) => me.isOperator || !OPERATOR_TOPICS.includes(topic),
  );
  return {
    pages: { label: "Go to", items: [...pages, ...personal] },
    doing: { label: "Commands", items: [...commands.filter(({ needs }) => may(needs)), ...own] },
    help: {
      label: "Help",
      items: names.map((topic) => ({
        label: topics[topic].title,
        href: topicUrl(topic),
        detail: topics[topic].about,
        keywords: topics[topic].words,
      })),
    },
  };
}

/** Whether every typed word is the prefix of one of the item's words. */
function matches({ label, keywords = "", detail = "" }: Words, query: string): boolean {
  const own = `${label} ${keywords} ${detail}`.toLowerCase().split(/\s+/);
  const typed = query.toLowerCase().split(/\s+/).filter(Boolean);
  return typed.every((word) => own.some((one) => one.startsWith(word)));
}
