import { getDefaultZIndex, Kbd, Modal, useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue, useMounted } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { Fragment, type KeyboardEvent, useEffect, useId, useState } from "react";

import { read } from "#app/console/console-client.ts";
import { type Me, useSignOut } from "#app/console/session.ts";
import { leavePage } from "#app/console/ui/leave-guard.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

import { type PaletteItem, parseMailboxCommand, resultItems } from "./commands.ts";
import { holdsAny, type ItemGroup, localGroups, paletteGroups } from "./palette-groups.ts";
import classes from "./palette.module.css";
import { OPEN_SHORTCUTS } from "./shortcuts.ts";

const NAME = "Search and commands";
const HINT = "Search pages, commands, emails, addresses, and IDs";

/** Searches everything, and runs commands (WAI-ARIA combobox with a list box). */
export function Palette({ me, isOpen, onClose }: { me: Me; isOpen: boolean; onClose: () => void }) {
  const [query, setQuery] = useState("");
  const isMounted = useMounted();
  return (
    <Modal.Root
      opened={isOpen && isMounted}
      onClose={onClose}
      size={600}
      zIndex={getDefaultZIndex("max")}
      // At the top: the palette must not move as the list grows and shrinks.
      yOffset="12vh"
      transitionProps={{ duration: 80, transition: "fade" }}
      onExitTransitionEnd={() => setQuery("")}
      // A class of `Modal.Content` would also apply to the container that centers it.
      classNames={{ content: classes.content }}
    >
      <Modal.Overlay backgroundOpacity={0.35} blur={0} />
      <Modal.Content aria-label={NAME}>
        <PaletteSearch me={me} query={query} setQuery={setQuery} onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  );
}

type Search = { me: Me; query: string; setQuery: (query: string) => void; onClose: () => void };

function PaletteSearch({ me, query, setQuery, onClose }: Search) {
  const groups = usePaletteGroups(me, query);
  const items = groups.flatMap(({ items }) => items);
  // The first item until the admin moves, so that Enter opens the best result even if it arrives after typing.
  const [moved, setMoved] = useState<string | null>(null);
  const at = Math.max(
    0,
    items.findIndex((item) => keyOf(item) === moved),
  );
  const router = useRouter();
  const listId = useId();
  const optionId = (item: PaletteItem) => `${listId}-${items.indexOf(item)}`;
  const selectedId = items[at] && optionId(items[at]);
  useEffect(() => {
    if (selectedId) document.getElementById(selectedId)?.scrollIntoView({ block: "nearest" });
  }, [selectedId]);

  function type(text: string) {
    setQuery(text);
    setMoved(null);
  }

  function choose(item: PaletteItem) {
    if (!("typed" in item)) onClose();
    if ("typed" in item) type(item.typed);
    else if ("run" in item) item.run();
    else if (item.external) window.open(item.href, "_blank", "noopener");
    else leavePage(() => router.push(item.href));
  }

  function handleKey(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.nativeEvent.isComposing || (step === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    const item = items.at((at + (step ?? 0)) % items.length);
    if (!item) return;
    if (step === undefined) choose(item);
    else setMoved(keyOf(item));
  }

  return (
    <>
      <div className={classes.field}>
        <IconSearch size={16} aria-hidden="true" />
        <input
          type="text"
          role="combobox"
          aria-label={HINT}
          aria-expanded={items.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={selectedId}
          autoComplete="off"
          data-autofocus
          placeholder={HINT}
          maxLength={200}
          value={query}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={handleKey}
        />
      </div>
      <div id={listId} role="listbox" aria-label={NAME} className={classes.list}>
        {groups.map(({ label, items }) => (
          <div key={label} role="group" aria-label={label}>
            <div aria-hidden="true" className={classes.group}>
              {label}
            </div>
            {items.map((item) => (
              // The field handles the keys.
              <div
                key={keyOf(item)}
                id={optionId(item)}
                role="option"
                tabIndex={-1}
                aria-selected={optionId(item) === selectedId}
                className={classes.action}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(item)}
              >
                <span className={classes.label}>{item.label}</span>
                {item.detail && <span className={classes.detail}>{item.detail}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      <div role="status" className={classes.empty}>
        {items.length === 0 && "No results"}
      </div>
    </>
  );
}

const keyOf = (item: PaletteItem) => `${"href" in item ? item.href : ""} ${item.label}`;

const DEBOUNCE_MS = 150;

/** The server searches emails from this length on. */
const EMAIL_TEXT_MIN = 3;

/** What the palette offers for the text that was typed. */
function usePaletteGroups(me: Me, query: string): ItemGroup[] {
  const { action, text } = parseMailboxCommand(query);
  const [wanted] = useDebouncedValue(text, DEBOUNCE_MS);
  const found = useQuery(searchQuery(wanted));
  const results = text === "" ? [] : (found.data ?? []);
  const isSearched = found.isSuccess && !found.isPlaceholderData && wanted === text;
  return paletteGroups({
    local: localGroups(me, useOwnCommands()),
    query,
    results: resultItems(results, action),
    searches: isSearched && action === null ? searchItems(me, text) : [],
  });
}

function searchItems(me: Me, text: string): PaletteItem[] {
  const typed = encodeURIComponent(text);
  const route = {
    label: `Where does mail to ${text} go?`,
    href: `/console/mailboxes/route?address=${typed}`,
  };
  const emails = {
    label: `Search all emails for “${text}”`,
    href: `/console/emails?search=${typed}`,
  };
  const seesEmails = text.length >= EMAIL_TEXT_MIN && holdsAny(me, READ_EMAILS);
  const isAddress = /^\S+@\S+$/.test(text) && me.wholePrivileges.includes("view_users");
  return [...(isAddress ? [route] : []), ...(seesEmails ? [emails] : [])];
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
      .map(({ scheme, label }) => ({ label, run: () => setColorScheme(scheme) })),
    {
      label: "Keyboard shortcuts",
      run: () => window.dispatchEvent(new Event(OPEN_SHORTCUTS)),
    },
    { label: "Sign out", run: signOut.start },
  ];
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

type ShortcutListProps = { letters: Map<string, { label: string }>; onClose: () => void };

export function ShortcutList({ letters, onClose }: ShortcutListProps) {
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

const ShortcutRows = ({ rows }: { rows: [keys: string[], act: string][] }) => (
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
