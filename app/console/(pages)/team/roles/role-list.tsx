import { pluralize } from "#app/console/ui/format.ts";
import { privilegeNames } from "#app/console/(pages)/team/privilege-text.ts";
import type { RoleRow } from "#app/console/(pages)/team/role-queries.ts";
import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";

import classes from "./role-list.module.css";

const columns = {
  name: { area: "name", header: "Role", kind: "name" },
  privileges: { area: "privileges", header: "Privileges", kind: "text" },
  scope: { area: "scope", header: "Scope", kind: "text", isMuted: true },
  holders: { area: "holders", header: "Assigned to", kind: "moment" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };
const SKELETON_ROWS = 4;

export function RoleList({ roles }: { roles: RoleRow[] }) {
  return (
    <ListTable label="Roles by name" {...layout}>
      {roles.map((role) => (
        <ListRow key={role.id}>
          <ListCell column={columns.name}>
            <ListRowLink href={`/console/team/roles/${role.id}`}>{role.name}</ListRowLink>
          </ListCell>
          <ListCell column={columns.privileges}>
            <span title={privilegeNames(role.privileges)}>{privilegeNames(role.privileges)}</span>
          </ListCell>
          <ListCell column={columns.scope}>
            {role.unit ? `Unit ${role.unit.name}` : "Whole company"}
          </ListCell>
          <ListCell column={columns.holders}>
            {role.holders.length === 0 ? "No one" : pluralize(role.holders.length, "admin")}
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

export function RoleListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
