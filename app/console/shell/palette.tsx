"use client";

import { Kbd, Modal, useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { Fragment, useEffect, useState } from "react";

import { OPERATOR_TOPICS, type Topic, topics, topicUrl } from "#app/console/(pages)/help/topics.ts";
import { read } from "#app/console/console-client.ts";
import { type Me, useSignOut } from "#app/console/session.ts";
import { leavePage } from "#app/console/ui/leave-guard.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import {
  commands,
  mailboxCommands,
  type PaletteItem,
  parseMailboxCommand,
  type SearchResult,
  type Words,
} from "./commands.ts";
import { navigation, visibleNavigation } from "./navigation.ts";
import classes from "./palette.module.css";
import { OPEN_SHORTCUTS } from "./shortcuts.ts";

const LIST_HEIGHT = 440;

/** The command palette. Opens whenever `asked` increases. */
export function Palette({ me, asked }: { me: Me; asked: number }) {
  const [query, setQuery] = useState("");
  const groups = usePaletteGroups(me, query);
  const router = useRouter();
  useEffect(() => spotlight.open(), [asked]);

  // Results arrive after typing: select the first, so that Enter opens it.
  const shown = groups.flatMap(({ items }) => items.map(({ label }) => label)).join(" ");
  useEffect(() => {
    if (document.querySelector("[data-action][data-selected]")) return;
    document.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  }, [shown]);

  function choose(item: PaletteItem) {
    if ("typed" in item) setQuery(item.typed);
    else if ("run" in item) item.run();
    else if (item.external) window.open(item.href, "_blank", "noopener");
    else leavePage(() => router.push(item.href));
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
        placeholder="Search pages, commands, emails, addresses, and IDs"
        aria-label="Search pages, commands, emails, addresses, and IDs"
        leftSection={<IconSearch size={16} aria-hidden="true" />}
        maxLength={200}
      />
      <Spotlight.ActionsList>
        {groups.map(({ label, items }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {items.map((item) => (
              <Spotlight.Action
                key={"href" in item ? `${item.href} ${item.label}` : item.label}
                closeSpotlightOnTrigger={!("typed" in item)}
                onClick={() => choose(item)}
              >
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

const DEBOUNCE_MS = 150;

/** The server searches emails from this length on. */
const EMAIL_TEXT_MIN = 3;

type ItemGroup = { label: string; items: PaletteItem[] };

/** What the palette offers for the text that was typed. */
function usePaletteGroups(me: Me, query: string): ItemGroup[] {
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

/** Single characters match nearly everything. */
const QUERY_LENGTH_MIN = 2;

const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: async () => (await read("overview.search", { query: { q } })).data,
    enabled: q.length >= QUERY_LENGTH_MIN,
    placeholderData: keepPreviousData,
  });

function searchResultUrl({ kind, id }: SearchResult): string {
  const name = encodeURIComponent(id);
  switch (kind) {
    case "mailbox":
      return `/console/mailboxes/${name}`;
    case "group":
      return `/console/groups/${name}`;
    case "domain":
      return `/console/domains/${name}`;
    case "api_key":
      return `/console/api-keys/${name}`;
    case "webhook":
      return `/console/webhooks/${name}`;
    case "admin":
      return `/console/team/${name}`;
    case "email":
      return `/console/emails/${name}`;
  }
}

const kindLabels: Record<SearchResult["kind"], string> = {
  mailbox: "Mailbox",
  group: "Group",
  domain: "Domain",
  api_key: "API key",
  webhook: "Webhook",
  admin: "Admin",
  email: "Email",
};

export function ShortcutList({
  letters,
  onClose,
}: {
  letters: Map<string, { label: string }>;
  onClose: () => void;
}) {
  const everywhere: [keys: string[], act: string][] = [
    [["Ctrl", "K"], "Open search"],
    [["/"], "Search the list"],
    [["j"], "Next row"],
    [["k"], "Previous row"],
    [["Enter"], "Open the row"],
    [["x"], "Select the row"],
    [["Esc"], "Close a dialog or menu"],
    [["?"], "Show shortcuts"],
  ];
  const pages = [...letters].map(([letter, { label }]): [string[], string] => [
    ["g", letter],
    label,
  ]);
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="lg">
      <div className={classes.columns}>
        <ShortcutRows rows={everywhere} />
        <ShortcutRows rows={pages} />
      </div>
    </Modal>
  );
}

function ShortcutRows({ rows }: { rows: [keys: string[], act: string][] }) {
  return (
    <dl className={classes.keys}>
      {rows.map(([keys, act]) => (
        <Fragment key={act}>
          <dt>
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dt>
          <dd>{act}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
