import { pluralize } from "#app/console/(pages)/team/admin-text.ts";
import { privilegeNames } from "#app/console/(pages)/team/privilege-text.ts";
import type { RoleRow } from "#app/console/(pages)/team/role-queries.ts";
import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";

import classes from "./role-list.module.css";

const columns = {
  name: { area: "name", head: "Role", kind: "name" },
  privileges: { area: "privileges", head: "Privileges", kind: "text" },
  scope: { area: "scope", head: "Scope", kind: "text", isQuiet: true },
  holders: { area: "holders", head: "Assigned to", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };
const SKELETON_ROWS = 4;

export function RoleList({ roles }: { roles: RoleRow[] }) {
  return (
    <ListTable label="Roles, by name" {...layout}>
      {roles.map((role) => (
        <ListRow key={role.id}>
          <Cell of={columns.name}>
            <RowLink href={`/console/team/roles/${role.id}`}>{role.name}</RowLink>
          </Cell>
          <Cell of={columns.privileges}>
            <span title={privilegeNames(role.privileges)}>{privilegeNames(role.privileges)}</span>
          </Cell>
          <Cell of={columns.scope}>{role.unit ? `Unit ${role.unit.name}` : "Whole company"}</Cell>
          <Cell of={columns.holders}>
            {role.holders.length === 0 ? "No one" : pluralize(role.holders.length, "admin")}
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

export function RoleListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
