import { PrefetchLink } from "#app/console/ui/links.tsx";

import classes from "./area-switcher.module.css";
import type { Area } from "./navigation.ts";

const AREAS: { area: Area; label: string; href: string }[] = [
  { area: "company", label: "Company", href: "/console/overview" },
  { area: "operate", label: "Operate", href: "/console/operate/health" },
];

/** Switches between the pages of a company and those about the whole server, for operators. */
export function AreaSwitcher({ current, onFollow }: { current: Area; onFollow: () => void }) {
  return (
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
}
