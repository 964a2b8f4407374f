"use client";

import { Menu, UnstyledButton } from "@mantine/core";
import { IconCheck, IconSelector } from "@tabler/icons-react";

import { useSwitchCompany } from "#app/console/session-queries.ts";

import classes from "./company-switcher.module.css";

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
