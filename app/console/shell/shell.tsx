"use client";

import { Burger, Skeleton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { usePathname, useRouter } from "next/navigation";
import { type ReactNode, useEffect } from "react";

import { PROFILE } from "#app/console/next-page.ts";
import { type Me, meQuery } from "#app/console/session-queries.ts";
import { Wordmark } from "#app/console/ui/wordmark.tsx";

import { AreaSwitcher } from "./area-switcher.tsx";
import { ConnectionStatus, ProgressLine } from "./connection-status.tsx";
import { useTitleFocus } from "./use-title-focus.ts";
import { useFocusRestore } from "./use-focus-restore.ts";
import { KeyboardShortcuts } from "./keyboard.tsx";
import { NavigationLinks } from "./navigation-links.tsx";
import { type Area, navigation, type NavigationGroup } from "./navigation.ts";
import { PaletteButton } from "./palette-button.tsx";
import { UserMenu } from "./user-menu.tsx";
import classes from "./shell.module.css";
import { areaOf, groupsOf, visibleNavigation } from "./visible-navigation.ts";

const CONTENT = "content";
const SKELETON_WIDTHS = ["55%", "40%", "48%", "62%", "44%", "58%", "50%", "66%"];

// Loaded on demand: most admins have one company.
const CompanySwitcher = dynamic(() =>
  import("./company-switcher.tsx").then((module) => module.CompanySwitcher),
);

// Loaded on demand: only phones need it.
const NavigationDrawer = dynamic(() =>
  import("./navigation-drawer.tsx").then((module) => module.NavigationDrawer),
);

export function Shell({ children }: { children: ReactNode }) {
  const { data: me } = useQuery(meQuery);
  useRequiredSecondFactor(me?.secondFactorDue ?? false);
  const groups = me && allowedGroups(me);
  const area = areaOf(usePathname());
  return (
    <ShellFrame
      name="Console"
      area={hasOperate(groups) ? area : null}
      company={me && <Company me={me} area={area} />}
      groups={groups && groupsOf(area, groups)}
      tools={<PaletteButton />}
      userMenu={me && <UserMenu name={me.name} email={me.email} />}
    >
      {children}
      {me && groups && <KeyboardShortcuts me={me} groups={groups} />}
    </ShellFrame>
  );
}

const hasOperate = (groups: NavigationGroup[] = []) => groupsOf("operate", groups).length > 0;

const allowedGroups = (me: Me): NavigationGroup[] =>
  me.secondFactorDue ? [] : visibleNavigation(navigation, me);

function Company({ me, area }: { me: Me; area: Area }) {
  if (area === "operate") return "All companies";
  if (me.companies.length < 2) return me.company.name;
  return <CompanySwitcher current={me.company} all={me.companies} />;
}

/** Redirects to the profile until a required second factor is set up. */
function useRequiredSecondFactor(isDue: boolean) {
  const router = useRouter();
  const pathname = usePathname();
  const isAway = isDue && pathname !== PROFILE;
  useEffect(() => {
    if (isAway) router.replace(PROFILE);
  }, [isAway, router]);
}

type Content = {
  /** Accessible name of the navigation. */
  name: string;
  /** The current area, for those who can switch. */
  area?: Area | null;
  /** Undefined while loading, like `groups` and `userMenu`. */
  company: ReactNode;
  groups: NavigationGroup[] | undefined;
  /** Above the navigation. */
  tools?: ReactNode;
  userMenu: ReactNode;
};

export function ShellFrame({ children, ...content }: Content & { children: ReactNode }) {
  const [isOpen, drawer] = useDisclosure();
  const [isNear, near] = useDisclosure();
  useTitleFocus(CONTENT);
  useFocusRestore(CONTENT);
  return (
    <>
      <a href={`#${CONTENT}`} className={classes.skip}>
        Skip to content
      </a>
      <header className={classes.header}>
        <Burger
          opened={isOpen}
          onClick={drawer.open}
          onTouchStart={near.open}
          onFocus={near.open}
          size="sm"
          aria-label="Open navigation"
        />
        <Wordmark />
        {content.tools && <div className={classes.headerTools}>{content.tools}</div>}
      </header>
      <nav className={classes.navbar}>
        <Navigation {...content} onFollow={drawer.close} />
      </nav>
      {(isNear || isOpen) && (
        <NavigationDrawer isOpen={isOpen} onClose={drawer.close}>
          <Navigation {...content} tools={null} onFollow={drawer.close} />
        </NavigationDrawer>
      )}
      <main id={CONTENT} tabIndex={-1} className={classes.main}>
        <div className={classes.page}>{children}</div>
      </main>
      <ProgressLine />
      <ConnectionStatus />
    </>
  );
}

function Navigation({
  name,
  area,
  company,
  groups,
  tools,
  userMenu,
  onFollow,
}: Content & { onFollow: () => void }) {
  return (
    <>
      {area && <AreaSwitcher current={area} onFollow={onFollow} />}
      <div className={classes.company}>
        {company ?? <Skeleton height={16} width="60%" my={2} />}
      </div>
      {tools && <div className={classes.tools}>{tools}</div>}
      <nav aria-label={name} className={classes.links}>
        {groups ? (
          <NavigationLinks groups={groups} onFollow={onFollow} />
        ) : (
          <div className={classes.skeletons}>
            {SKELETON_WIDTHS.map((width) => (
              <Skeleton key={width} height={16} width={width} />
            ))}
          </div>
        )}
      </nav>
      {userMenu ?? (
        <div className={classes.person}>
          <Skeleton height={40} />
        </div>
      )}
    </>
  );
}
