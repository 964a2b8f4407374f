import { formatDay } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { VacationFields } from "./queries.ts";

type VacationState = { tone: StatusTone; label: string; text: string };

/** Whether automatic replies are sent at `now`, and what changes next. */
export function vacationState(vacation: VacationFields | null, now: Date): VacationState {
  if (!vacation?.isOn) return { tone: "none", label: "Off", text: "No automatic replies" };
  const { startsOn, endsOn, timeZone } = vacation;
  const today = dayIn(timeZone, now);
  if (endsOn !== null && endsOn < today)
    return { tone: "waiting", label: "Ended", text: `Replies ended on ${formatDay(endsOn)}` };
  const until = endsOn === null ? "" : ` until ${formatDay(endsOn)}`;
  if (startsOn !== null && startsOn > today) {
    const from = formatDay(startsOn);
    const text = until ? `Replies are sent from ${from}${until}` : `Replies start on ${from}`;
    return { tone: "info", label: "Scheduled", text };
  }
  return { tone: "done", label: "On", text: `Replies are sent${until}` };
}

/** `2026-12-24`, as this locale writes dates. */
const dayIn = (timeZone: string, moment: Date) =>
  new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(moment);
