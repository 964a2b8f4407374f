import { privilegeLabels } from "#server/universal/privileges.ts";
import type { RoleRow } from "#app/console/(pages)/team/role-queries.ts";
import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { sortRows } from "#app/console/ui/sort-rows.ts";

export const ROLE_SORTS = ["name", "-holders"] as const;

/** A company has few roles, so that the page has them all. */
export const sortRoles = (roles: readonly RoleRow[], sort: SortOf<typeof ROLE_SORTS>): RoleRow[] =>
  sortRows(roles, sort, { name: ({ name }) => name, holders: ({ holders }) => holders.length });

export const ROLE_LIST: ListLayout<RoleRow> = {
  noun: "roles",
  label: "Roles",
  columns: [
    {
      area: "name",
      header: "Role",
      kind: "name",
      width: "minmax(0, 3fr)",
      sort: "name",
      cell: ({ id, name }) => <ListRowLink href={`/console/team/roles/${id}`}>{name}</ListRowLink>,
    },
    {
      area: "privileges",
      header: "Privileges",
      kind: "text",
      width: "minmax(0, 6fr)",
      cell: ({ privileges }) => (
        <span title={privilegeLabels(privileges)}>{privilegeLabels(privileges)}</span>
      ),
    },
    {
      area: "scope",
      header: "Scope",
      kind: "text",
      width: "minmax(0, 2fr)",
      isMuted: true,
      cell: ({ unit }) => (unit ? `Unit ${unit.name}` : "Whole company"),
    },
    {
      area: "holders",
      header: "Assigned to",
      kind: "moment",
      width: "96px",
      sort: "-holders",
      cell: ({ holders }) => (holders.length === 0 ? "No one" : pluralize(holders.length, "admin")),
    },
  ],
  phone: `"name holders" auto "privileges privileges" auto "scope scope" auto / minmax(0, 1fr) auto`,
};
