"use client";

import { Burger, Kbd, Skeleton, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconExternalLink, IconSearch } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePathname, useRouter } from "next/navigation";
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";

import { ConsoleError } from "#app/console/console-client.ts";
import { PROFILE } from "#app/console/next-page.ts";
import { type Me, meQuery } from "#app/console/session.ts";
import { PrefetchLink } from "#app/console/ui/links.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Wordmark } from "#app/console/ui/wordmark.tsx";
import { longWait } from "#app/console/waiting.ts";
import { useTexts } from "#app/console/ui/texts.tsx";

import { useFocusRestore, useTitleFocus } from "./focus.ts";
import { KeyboardShortcuts } from "./keyboard.tsx";
import {
  type NavigationArea,
  areaOf,
  groupsOf,
  navigation,
  type NavigationGroup,
  visibleNavigation,
} from "./navigation.ts";
import classes from "./shell.module.css";
import { useOfflineLinks } from "./offline-links.ts";
import { OPEN_PALETTE } from "./shortcuts.ts";
import { UserMenu } from "./user-menu.tsx";

const CONTENT = "content";
const SKELETON_WIDTHS = ["55%", "40%", "48%", "62%", "44%", "58%", "50%", "66%"];

// Loaded on demand: most admins have one company.
const CompanySwitcher = onDemand(() =>
  import("./lazy-parts.tsx").then((module) => module.CompanySwitcher),
);

// Loaded on demand: only phones need it.
const NavigationDrawer = onDemand(() =>
  import("./lazy-parts.tsx").then((module) => module.NavigationDrawer),
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
      note={<ImportNote />}
      userMenu={me && <UserMenu name={me.name} email={me.email} />}
    >
      {children}
      {me && groups && <KeyboardShortcuts me={me} groups={groups} />}
    </ShellFrame>
  );
}

const hasOperate = (groups: NavigationGroup[] = []) => groupsOf("operate", groups).length > 0;

// Loaded on demand: few admins import mailboxes.
const MailboxImportNote = onDemand(() =>
  import("./lazy-parts.tsx").then((module) => module.MailboxImportNote),
);

function ImportNote() {
  const { data: me } = useQuery(meQuery);
  return me?.hasOpenMailboxImport && <MailboxImportNote />;
}

const allowedGroups = (me: Me): NavigationGroup[] =>
  me.secondFactorDue ? [] : visibleNavigation(navigation, me);

function Company({ me, area }: { me: Me; area: NavigationArea }) {
  if (area === "operate") return me.hasSeveralCompanies ? "All companies" : "This server";
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
  area?: NavigationArea | null;
  /** Undefined while loading, like `groups` and `userMenu`. */
  company: ReactNode;
  groups: NavigationGroup[] | undefined;
  /** Above the navigation. */
  tools?: ReactNode;
  /** Below the navigation. */
  note?: ReactNode;
  userMenu: ReactNode;
};

export function ShellFrame({ children, ...content }: Content & { children: ReactNode }) {
  const text = useTexts();
  const [isOpen, drawer] = useDisclosure();
  const [isNear, near] = useDisclosure();
  useTitleFocus(CONTENT);
  useFocusRestore(CONTENT);
  return (
    <>
      <a href={`#${CONTENT}`} className={classes.skip}>
        {text("shell.skip")}
      </a>
      <header className={classes.header}>
        <Burger
          opened={isOpen}
          onClick={drawer.open}
          onTouchStart={near.open}
          onFocus={near.open}
          size="sm"
          aria-label={text("shell.open")}
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
        <ProgressLine />
        <div className={classes.page}>{children}</div>
      </main>
      <ConnectionStatus />
    </>
  );
}

const Navigation = ({
  name,
  area,
  company,
  groups,
  tools,
  note,
  userMenu,
  onFollow,
}: Content & { onFollow: () => void }) => (
  <>
    {area && <AreaSwitcher current={area} onFollow={onFollow} />}
    <div className={classes.company}>{company ?? <Skeleton height={16} width="60%" my={2} />}</div>
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
    {note}
    {userMenu ?? (
      <div className={classes.person}>
        <Skeleton height={40} />
      </div>
    )}
  </>
);

const AREAS: { area: NavigationArea; label: string; href: string }[] = [
  { area: "company", label: "Company", href: "/console/overview" },
  { area: "operate", label: "Operate", href: "/console/operate/health" },
];

/** Switches between the pages of a company and those about the whole server, for operators. */
const AreaSwitcher = ({ current, onFollow }: { current: NavigationArea; onFollow: () => void }) => (
  <nav aria-label="Area" className={classes.areas}>
    {AREAS.map(({ area, label, href }) => (
      <PrefetchLink
        key={area}
        href={href}
        className={classes.area}
        aria-current={area === current ? "true" : undefined}
        onClick={onFollow}
      >
        {label}
      </PrefetchLink>
    ))}
  </nav>
);

const PaletteButton = () => (
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

/** A thin line at the top while anything takes more than a second. */
function ProgressLine() {
  const text = useTexts();
  const isOn = useSyncExternalStore(longWait.subscribe, longWait.isOn, () => false);
  return isOn && <div className={classes.line} role="progressbar" aria-label={text("loading")} />;
}

/** Says that the page is offline or couldn't be refreshed. */
function ConnectionStatus() {
  const text = useTexts();
  const isOnline = useSyncExternalStore(
    subscribeToNetwork,
    () => navigator.onLine,
    () => true,
  );
  const isStale = useIsStale();
  const hasWaitingLink = useOfflineLinks(isOnline);
  const words = isOnline
    ? isStale && text("shell.stale")
    : text(hasWaitingLink ? "shell.offline.link" : "shell.offline");
  return (
    <div role="status" className={classes.place}>
      {words && <div className={classes.connectionStatusWords}>{words}</div>}
    </div>
  );
}

function subscribeToNetwork(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** Whether visible data failed to refresh. 4xx responses don't count: the server was reached. */
function useIsStale(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => cache.findAll({ type: "active" }).some(({ state }) => isUnreached(state)),
    () => false,
  );
}

function isUnreached({ data, error }: { data: unknown; error: Error | null }): boolean {
  if (data === undefined || error === null) return false;
  return !(error instanceof ConsoleError) || error.status >= 500;
}

type NavigationLinksProps = { groups: NavigationGroup[]; onFollow: () => void };

function NavigationLinks({ groups, onFollow }: NavigationLinksProps) {
  const text = useTexts();
  const pathname = usePathname();
  const here = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (here.current) reveal(here.current);
  }, [pathname]);
  return groups.map(({ group, entries }) => (
    <div key={group} className={classes.group}>
      <h2 className={classes.title}>{group}</h2>
      <ul>
        {entries.map(({ label, href, icon: Icon, external }) => {
          // Not a page of this app, so it can't be prefetched.
          const Follow = external ? "a" : PrefetchLink;
          const isHere = pathname === href || pathname.startsWith(`${href}/`);
          return (
            <li key={href}>
              <Follow
                ref={isHere ? here : null}
                href={href}
                className={classes.link}
                aria-current={isHere ? "page" : undefined}
                onClick={onFollow}
                {...(external && { target: "_blank" })}
              >
                <Icon size={16} stroke={1.75} aria-hidden="true" />
                {label}
                {external && (
                  <IconExternalLink
                    size={14}
                    className={classes.external}
                    aria-label={text("newTab")}
                  />
                )}
              </Follow>
            </li>
          );
        })}
      </ul>
    </div>
  ));
}

/**
 * Scrolls the navigation until the link is visible. Not with scrollIntoView: in Chromium 150 it also moves
 * the starting point of the next Tab past "Skip to content".
 */
function reveal(link: HTMLElement): void {
  const list = link.closest("nav");
  if (!list) return;
  const frame = list.getBoundingClientRect();
  const { top, bottom } = link.getBoundingClientRect();
  if (top < frame.top) list.scrollTop -= frame.top - top;
  else if (bottom > frame.bottom) list.scrollTop += bottom - frame.bottom;
}
