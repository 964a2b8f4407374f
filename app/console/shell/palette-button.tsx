"use client";

import { Kbd, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

import { ASK_PALETTE } from "./keyboard.tsx";
import classes from "./palette-button.module.css";

/** Opens the palette, and tells of its key. */
export function PaletteButton() {
  return (
    <UnstyledButton
      className={classes.button}
      aria-keyshortcuts="Control+K"
      onClick={() => window.dispatchEvent(new Event(ASK_PALETTE))}
    >
      <IconSearch size={14} aria-hidden="true" />
      <span className={classes.words}>Search</span>
      <Kbd size="xs" aria-hidden="true" className={classes.key}>
        Ctrl K
      </Kbd>
    </UnstyledButton>
  );
}
