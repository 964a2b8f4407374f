import type { Rules } from "#app/account/rule-queries.ts";

type Said = { isOn: boolean; words: string };

export function filtersOf({ filters }: Rules): Said {
  const on = filters.filter(({ is_on: isOn }) => isOn).length;
  const off = filters.length - on;
  const rest = off > 0 ? `, ${off} off` : "";
  return { isOn: on > 0, words: filters.length === 0 ? "No filters" : `${on} on${rest}` };
}

export function forwardingOf({ forward_to: forwardTo, keep_copy: keepsCopy }: Rules): Said {
  if (forwardTo.length === 0) return { isOn: false, words: "No forwarding addresses" };
  const copy = keepsCopy ? "keeping a copy" : "without keeping a copy";
  return { isOn: true, words: `To ${forwardTo.join(", ")}, ${copy}` };
}

export function awayOf({ vacation }: Rules): Said {
  if (!vacation?.is_on) return { isOn: false, words: "No automatic replies" };
  const { starts_on: startsOn, ends_on: endsOn } = vacation;
  const from = startsOn === null ? "" : ` from ${formatDay(startsOn)}`;
  const until = endsOn === null ? "" : ` until ${formatDay(endsOn)}`;
  return {
    isOn: true,
    words: from || until ? `Replies are sent${from}${until}` : "Replies are sent",
  };
}

/** Formats `2026-12-24` as 24 December 2026. */
function formatDay(day: string): string {
  const format = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
  return format.format(new Date(`${day}T00:00:00Z`));
}
