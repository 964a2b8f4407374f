import type { Rules } from "#app/account/rule-queries.ts";

type Said = { isOn: boolean; words: string };

export function filtersOf({ filters }: Rules): Said {
  const on = filters.filter(({ is_on: isOn }) => isOn).length;
  const off = filters.length - on;
  const rest = off > 0 ? `, ${off} switched off` : "";
  return { isOn: on > 0, words: filters.length === 0 ? "None yet" : `${on} in use${rest}` };
}

export function forwardingOf({ forward_to: forwardTo, keep_copy: keepsCopy }: Rules): Said {
  if (forwardTo.length === 0) return { isOn: false, words: "Nothing is forwarded" };
  const copy = keepsCopy ? "a copy stays here" : "nothing stays here";
  return { isOn: true, words: `To ${forwardTo.join(", ")}; ${copy}` };
}

export function awayOf({ vacation }: Rules): Said {
  if (!vacation?.is_on) return { isOn: false, words: "Nobody is answered" };
  const { starts_on: startsOn, ends_on: endsOn } = vacation;
  const from = startsOn === null ? "" : ` from ${dayInWords(startsOn)}`;
  const until = endsOn === null ? "" : ` until ${dayInWords(endsOn)}`;
  return {
    isOn: true,
    words: from || until ? `Senders are answered${from}${until}` : "Senders are answered",
  };
}

/** `2026-12-24` as 24 December 2026. */
function dayInWords(day: string): string {
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return format.format(new Date(`${day}T00:00:00Z`));
}
