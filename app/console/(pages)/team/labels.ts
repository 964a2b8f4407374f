import { pluralize } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { AdminRow, PrivilegeSource } from "./queries.ts";

type Named = { email: string; name: string };

export const displayName = ({ name, email }: Named): string => name || email;

/** For lists where the whole address is in the next column. */
export const localPart = ({ email }: Named): string => email.slice(0, email.lastIndexOf("@"));

type AccessStatus = { tone: StatusTone; label: string };

export const accessStatus = ({ isDisabled }: Pick<AdminRow, "isDisabled">): AccessStatus =>
  isDisabled ? { tone: "waiting", label: "Access off" } : { tone: "done", label: "Active" };

/** The access status or, if access is on, whether the address is unconfirmed. */
export const listStatus = (
  admin: Pick<AdminRow, "isDisabled" | "isAddressConfirmed">,
): AccessStatus =>
  admin.isDisabled || admin.isAddressConfirmed
    ? accessStatus(admin)
    : { tone: "waiting", label: "Unconfirmed" };

/** "Owner", "Help desk, Auditor, 1 direct privilege", "No roles" */
export function roleSummary(admin: AdminRow): string {
  if (admin.isOwner) return "Owner";
  const names = admin.roles.map(({ name }) => name);
  const direct = admin.directPrivileges.length;
  if (direct > 0) names.push(pluralize(direct, "direct privilege"));
  return names.join(", ") || "No roles";
}

/** "Role Help desk, only in Sales and its subunits" */
export function formatSource(source: PrivilegeSource): string {
  if (source.kind === "owner") return "Company owner";
  if (source.kind === "direct") return "Assigned directly";
  const { name, unit } = source.role;
  return unit ? `Role ${name}, only in ${unit.name} and its subunits` : `Role ${name}`;
}

export const suggestedRoleUrl = (name: string) =>
  `/console/team/roles/new?${new URLSearchParams({ suggestion: name }).toString()}`;
