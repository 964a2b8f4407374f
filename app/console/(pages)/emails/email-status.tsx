import { Status } from "#app/console/ui/status.tsx";
import { EVENT_TYPES } from "#server/universal/event-types.ts";

import type { EmailState } from "./queries.ts";

export function EmailStatus({ state }: { state: EmailState }) {
  const { label, tone } = EVENT_TYPES[`email.${state}`];
  return <Status label={label} tone={tone} />;
}
