import type { NavigationGroup } from "./navigation.ts";

/** Window events that open the palette and the list of shortcuts. */
export const OPEN_PALETTE = "posthouse:palette";
export const OPEN_SHORTCUTS = "posthouse:keys";

/** Pages to go to with `g` and a letter. */
const GO_TO: Record<string, string> = {
  o: "/console/overview",
  e: "/console/emails",
  m: "/console/metrics",
  s: "/console/suppressions",
  k: "/console/api-keys",
  w: "/console/webhooks",
  l: "/console/logs",
  b: "/console/mailboxes",
  g: "/console/groups",
  u: "/console/units",
  q: "/console/quarantine",
  p: "/console/on-hold",
  d: "/console/domains",
  t: "/console/team",
  a: "/console/audit",
  ",": "/console/settings",
  h: "/console/help",
  y: "/console/profile",
};

/** The letters of the pages that the admin can see. */
export function goToShortcuts(
  groups: NavigationGroup[],
): Map<string, { label: string; href: string }> {
  const seen = new Map(
    groups.flatMap(({ entries }) => entries.map(({ href, label }) => [href, label])),
  );
  seen.set("/console/help", "Help").set("/console/profile", "Your profile");
  return new Map(
    Object.entries(GO_TO).flatMap(([letter, href]) => {
      const label = seen.get(href);
      return label === undefined ? [] : [[letter, { label, href }]];
    }),
  );
}
