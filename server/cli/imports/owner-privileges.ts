import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";

/** Operators, who run the commands, have all privileges in every company. */
export const OWNER_PRIVILEGES = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
