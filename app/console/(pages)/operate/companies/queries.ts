import type { AnswerOf, InputOf } from "#app/console/console-client.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import type { StatusTone } from "#app/console/ui/status.tsx";

export type CompanyRow = AnswerOf<"companies.list">["data"][number];
export type CompanyDetail = AnswerOf<"companies.get">;
export type CompanyChange = InputOf<"companies.update">["body"];

export const COMPANY_STATUSES = {
  active: { label: "Active", tone: "done" },
  no_subscription: { label: "No subscription", tone: "waiting" },
  overdue: { label: "Invoice overdue", tone: "waiting" },
  service_off: { label: "Service off", tone: "failed" },
  suspended: { label: "Suspended", tone: "failed" },
} satisfies Record<CompanyRow["state"], { label: string; tone: StatusTone }>;

/** The name of the company's plan, or a label for its limits. */
export const planName = ({ plan, purpose }: Pick<CompanyRow, "plan" | "purpose">): string =>
  plan?.name ?? (purpose === "sandbox" ? "Sandbox" : "Custom limits");

/** The nouns of the operator pages. A change on one of them can affect the others. */
export const OPERATED = [
  "companies",
  "plans",
  "queue",
  "operate",
  "mailHosts",
  "serverSettings",
  "mailLog",
] as const;

export const useUpdateCompany = () => useChange("companies.update", { invalidates: OPERATED });
