import {
  Drawer,
  Menu,
  SegmentedControl,
  UnstyledButton,
  useMantineColorScheme,
} from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { IconCheck, IconSelector } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import {
  importedLines,
  mailboxImportsQuery,
} from "#app/console/(pages)/mailboxes/import/queries.ts";
import { useSwitchCompany } from "#app/console/session.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { PrefetchLink } from "#app/console/ui/links.tsx";
import { Wordmark } from "#app/console/ui/wordmark.tsx";
import { useTexts } from "#app/console/ui/texts.tsx";

import classes from "./lazy-parts.module.css";

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

type NavigationDrawerProps = { isOpen: boolean; onClose: () => void; children: ReactNode };

/** The navigation on phones. */
export function NavigationDrawer({ isOpen, onClose, children }: NavigationDrawerProps) {
  const text = useTexts();
  const isMounted = useMounted();
  return (
    <Drawer
      opened={isOpen && isMounted}
      onClose={onClose}
      size={WIDTH}
      title={<Wordmark />}
      hiddenFrom="sm"
      closeButtonProps={{ "aria-label": text("shell.close") }}
      classNames={{ content: classes.drawer, header: classes.header, body: classes.body }}
    >
      {children}
    </Drawer>
  );
}

/** The progress of a running import of mailboxes, or that there are passwords to save. */
export function MailboxImportNote() {
  const { data } = useQuery(mailboxImportsQuery);
  const open = data?.data.find(({ state, passwords }) => state === "running" || passwords > 0);
  if (!open) return null;
  return (
    <PrefetchLink href={`/console/mailboxes/import/${open.id}`} className={classes.note}>
      {open.state === "running"
        ? `Importing mailboxes: ${importedLines(open)}`
        : `${pluralize(open.passwords, "temporary password")} to save`}
    </PrefetchLink>
  );
}

const SCHEMES = ["auto", "light", "dark"] as const;

export function ThemeSwitch() {
  const text = useTexts();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      fullWidth
      aria-label={text("theme")}
      data={SCHEMES.map((value) => ({ value, label: text(`theme.${value}`) }))}
      value={colorScheme}
      onChange={setColorScheme}
    />
  );
}
