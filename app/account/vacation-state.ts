import { formatDay } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";
import type { GetText } from "#app/console/ui/texts.tsx";
import { useNow } from "#app/console/ui/time.tsx";

import type { VacationFields } from "./queries.ts";

type VacationState = { tone: StatusTone; label: string; text: string };

export const useVacationState = (vacation: VacationFields | null, text: GetText): VacationState =>
  vacationState(vacation, useNow(), text);

/** Whether automatic replies are sent at `now`, and what changes next. */
export function vacationState(
  vacation: VacationFields | null,
  now: Date,
  text: GetText,
): VacationState {
  if (!vacation?.isOn) return { tone: "none", label: text("off"), text: text("vacation.off") };
  const { startsOn, endsOn, timeZone } = vacation;
  const today = dayIn(timeZone, now);
  if (endsOn !== null && endsOn < today)
    return {
      tone: "waiting",
      label: text("vacation.ended"),
      text: text("vacation.ended.text", { day: formatDay(endsOn) }),
    };
  const until = endsOn && formatDay(endsOn);
  if (startsOn !== null && startsOn > today) {
    const from = formatDay(startsOn);
    return {
      tone: "info",
      label: text("vacation.scheduled"),
      text: until ? text("vacation.fromUntil", { from, until }) : text("vacation.from", { from }),
    };
  }
  return {
    tone: "done",
    label: text("on"),
    text: until ? text("vacation.until", { until }) : text("vacation.now"),
  };
}

/** `2026-12-24`, as this locale writes dates. */
const dayIn = (timeZone: string, moment: Date) =>
  new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(moment);
