import { type Meaning, Status } from "#app/console/ui/status.tsx";

import type { EmailStatus as State } from "./queries.ts";

export const emailStatuses: Record<State, { word: string; meaning: Meaning }> = {
  scheduled: { word: "Scheduled", meaning: "informing" },
  queued: { word: "Queued", meaning: "waiting" },
  sent: { word: "Sent", meaning: "informing" },
  delivered: { word: "Delivered", meaning: "done" },
  delivery_delayed: { word: "Delayed", meaning: "waiting" },
  bounced: { word: "Bounced", meaning: "failed" },
  failed: { word: "Failed", meaning: "failed" },
  canceled: { word: "Canceled", meaning: "none" },
  suppressed: { word: "Suppressed", meaning: "none" },
  opened: { word: "Opened", meaning: "done" },
  clicked: { word: "Clicked", meaning: "done" },
};

export function EmailStatus({ state }: { state: State }) {
  return <Status {...emailStatuses[state]} />;
}
