import type { Meaning } from "#app/console/ui/status.tsx";

import type { CompanyState } from "./queries.ts";

export const COMPANY_STATES: Record<CompanyState, { word: string; meaning: Meaning }> = {
  active: { word: "Active", meaning: "done" },
  no_subscription: { word: "No subscription", meaning: "waiting" },
  overdue: { word: "Invoice overdue", meaning: "waiting" },
  service_off: { word: "Service off", meaning: "failed" },
  suspended: { word: "Suspended", meaning: "failed" },
};
