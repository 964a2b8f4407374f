"use client";

import { Drawer, Menu, UnstyledButton } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { IconCheck, IconSelector } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { useSwitchCompany } from "#app/console/session.ts";
import { Wordmark } from "#app/console/ui/wordmark.tsx";

import classes from "./on-demand.module.css";

type Company = { id: string; name: string };

/** Shows the current company and switches to another. */
export function CompanySwitcher({ current, all }: { current: Company; all: Company[] }) {
  const switching = useSwitchCompany();
  return (
    <>
      <Menu position="bottom-start" width="target" offset={4}>
        <Menu.Target>
          <UnstyledButton className={classes.target} aria-busy={switching.isPending}>
            <span className={classes.name}>{current.name}</span>
            <IconSelector size={16} aria-hidden="true" className={classes.mark} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown aria-label="Companies">
          {all.map(({ id, name }) => (
            <Menu.Item
              key={id}
              className={classes.company}
              aria-current={id === current.id ? "true" : undefined}
              rightSection={id === current.id && <IconCheck size={14} aria-hidden="true" />}
              onClick={() => id !== current.id && switching.start(id)}
            >
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

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
