import type { EventDetail } from "#app/console/(pages)/webhooks/event-queries.ts";
import { ExactMoment, RelativeMoment } from "#app/console/ui/moment.tsx";

/** When an event is tried next, or why it is not. */
export function NextAttempt({ event }: { event: EventDetail }) {
  const { status, next_attempt_at: next, webhook } = event;
  if (next && new Date(next) <= new Date()) return "Now";
  if (next)
    return (
      <>
        <RelativeMoment at={next} />, on <ExactMoment at={next} />
      </>
    );
  if (status === "success") return "None: it was delivered";
  if (status === "failed") return "None: all eight failed. You can replay it";
  return webhook.status === "disabled" ? "Held back until the webhook is enabled" : "None";
}
