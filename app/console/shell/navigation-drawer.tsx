"use client";

import { Drawer } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";

import { Wordmark } from "#app/console/ui/wordmark.tsx";

import classes from "./navigation-drawer.module.css";

const WIDTH = 280;

/** The navigation on phones. */
export function NavigationDrawer({
  isOpen,
  onClose,
  children,
}: {
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const isMounted = useMounted();
  return (
    <Drawer
      opened={isOpen && isMounted}
      onClose={onClose}
      size={WIDTH}
      title={<Wordmark />}
      hiddenFrom="sm"
      closeButtonProps={{ "aria-label": "Close navigation" }}
      classNames={{ content: classes.drawer, header: classes.header, body: classes.body }}
    >
      {children}
    </Drawer>
  );
}
