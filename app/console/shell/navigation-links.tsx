"use client";

import { IconExternalLink } from "@tabler/icons-react";
import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

import { PrefetchLink } from "#app/console/ui/links.tsx";

import classes from "./navigation-links.module.css";
import type { NavigationGroup } from "./navigation.ts";

export function NavigationLinks({
  groups,
  onFollow,
}: {
  groups: NavigationGroup[];
  onFollow: () => void;
}) {
  const pathname = usePathname();
  const here = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (here.current) reveal(here.current);
  }, [pathname]);
  return groups.map(({ group, entries }) => (
    <div key={group} className={classes.group}>
      <h2 className={classes.title}>{group}</h2>
      <ul className={classes.list}>
        {entries.map(({ label, href, icon: Icon, external }) => {
          const isHere = pathname === href || pathname.startsWith(`${href}/`);
          return (
            <li key={href}>
              <PrefetchLink
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
                  <IconExternalLink size={14} className={classes.external} aria-label="(new tab)" />
                )}
              </PrefetchLink>
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
