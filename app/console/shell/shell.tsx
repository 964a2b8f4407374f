"use client";

import { AppShell, Burger, Drawer, Skeleton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { meQuery } from "#app/console/session-queries.ts";
import { Wordmark } from "#app/console/ui/wordmark.tsx";

import { NavigationLinks } from "./navigation-links.tsx";
import { navigation, type NavigationGroup } from "./navigation.ts";
import { Person } from "./person.tsx";
import classes from "./shell.module.css";

const NAVBAR_WIDTH = 240;
const HEADER_HEIGHT = 52;

/** What surrounds every page behind the door: navigation on the left, in a drawer on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const { data: me } = useQuery(meQuery);
  return (
    <ShellFrame
      name="Console"
      company={me?.company.name}
      groups={navigation}
      person={me && <Person name={me.name} email={me.email} />}
    >
      {children}
    </ShellFrame>
  );
}

type Content = {
  /** Of the navigation. */
  name: string;
  /** Undefined, as `person`, while it is being asked for. */
  company: string | undefined;
  groups: NavigationGroup[];
  person: ReactNode;
};

export function ShellFrame({ children, ...content }: Content & { children: ReactNode }) {
  const [isOpen, drawer] = useDisclosure();
  return (
    <AppShell
      padding={0}
      header={{ height: { base: HEADER_HEIGHT, sm: 0 } }}
      navbar={{ width: NAVBAR_WIDTH, breakpoint: "sm", collapsed: { mobile: true } }}
    >
      <AppShell.Header hiddenFrom="sm" className={classes.header}>
        <Burger opened={isOpen} onClick={drawer.open} size="sm" aria-label="Open navigation" />
        <Wordmark />
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} visibleFrom="sm">
        <Navigation {...content} onFollow={drawer.close} />
      </AppShell.Navbar>
      <Drawer
        opened={isOpen}
        onClose={drawer.close}
        size={280}
        title={<Wordmark />}
        hiddenFrom="sm"
        closeButtonProps={{ "aria-label": "Close navigation" }}
        classNames={{
          content: classes.drawer,
          header: classes.drawerHeader,
          body: classes.drawerBody,
        }}
      >
        <Navigation {...content} onFollow={drawer.close} />
      </Drawer>
      <AppShell.Main>
        <div className={classes.page}>{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({
  name,
  company,
  groups,
  person,
  onFollow,
}: Content & { onFollow: () => void }) {
  return (
    <>
      <div className={classes.company}>
        {company ?? <Skeleton height={16} width="60%" my={2} />}
      </div>
      <nav aria-label={name} className={classes.links}>
        <NavigationLinks groups={groups} onFollow={onFollow} />
      </nav>
      {person ?? (
        <div className={classes.person}>
          <Skeleton height={30} />
          <Skeleton height={36} />
          <Skeleton height={30} />
        </div>
      )}
    </>
  );
}
