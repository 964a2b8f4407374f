"use client";

import { Kbd, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

import { OPEN_PALETTE } from "./keyboard.tsx";
import classes from "./palette-button.module.css";

export function PaletteButton() {
  return (
    <UnstyledButton
      className={classes.button}
      aria-keyshortcuts="Control+K"
      onClick={() => window.dispatchEvent(new Event(OPEN_PALETTE))}
    >
      <IconSearch size={14} aria-hidden="true" />
      <span className={classes.words}>Search</span>
      <Kbd size="xs" aria-hidden="true" className={classes.key}>
        Ctrl K
      </Kbd>
    </UnstyledButton>
  );
}
