import { type StatusTone, Status } from "#app/console/ui/status.tsx";

import type { EmailStatus as State } from "./queries.ts";

export const emailStatuses: Record<State, { label: string; tone: StatusTone }> = {
  scheduled: { label: "Scheduled", tone: "info" },
  queued: { label: "Queued", tone: "waiting" },
  sent: { label: "Sent", tone: "info" },
  delivered: { label: "Delivered", tone: "done" },
  delivery_delayed: { label: "Delayed", tone: "waiting" },
  bounced: { label: "Bounced", tone: "failed" },
  failed: { label: "Failed", tone: "failed" },
  canceled: { label: "Canceled", tone: "none" },
  suppressed: { label: "Suppressed", tone: "none" },
  opened: { label: "Opened", tone: "done" },
  clicked: { label: "Clicked", tone: "done" },
};

export function EmailStatus({ state }: { state: State }) {
  return <Status {...emailStatuses[state]} />;
}
