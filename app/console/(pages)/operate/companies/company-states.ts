import type { StatusTone } from "#app/console/ui/status.tsx";

import type { CompanyState } from "./queries.ts";

export const COMPANY_STATES: Record<CompanyState, { label: string; tone: StatusTone }> = {
  active: { label: "Active", tone: "done" },
  no_subscription: { label: "No subscription", tone: "waiting" },
  overdue: { label: "Invoice overdue", tone: "waiting" },
  service_off: { label: "Service off", tone: "failed" },
  suspended: { label: "Suspended", tone: "failed" },
};
