"use client";

import { Spotlight, spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";

import type { Me } from "#app/console/session-queries.ts";

import classes from "./palette.module.css";
import { type PaletteItem, usePaletteGroups } from "./use-palette-groups.ts";

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
    else router.push(item.href);
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
