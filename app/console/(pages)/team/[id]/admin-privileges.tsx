import { formatSource } from "#app/console/(pages)/team/admin-text.ts";
import { privilegeText } from "#server/universal/privileges.ts";
import type { AdminDetail, PrivilegeSource } from "#app/console/(pages)/team/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./admin-privileges.module.css";

/** All privileges: whether the admin has each one, and where it comes from. */
export function AdminPrivileges({ admin }: { admin: AdminDetail }) {
  return (
    <Panel title="Privileges">
      <PrivilegeTable
        label="All privileges and their sources"
        privileges={admin.effectivePrivileges}
      />
    </Panel>
  );
}

type HeldPrivilege = { privilege: string; through: PrivilegeSource[] };

export function PrivilegeTable({
  label,
  privileges,
}: {
  label: string;
  privileges: HeldPrivilege[];
}) {
  return (
    <table aria-label={label}>
      <tbody>
        {privileges.map(({ privilege, through }) => {
          const { name, description } = privilegeText(privilege);
          return (
            <tr key={privilege} className={classes.row} data-held={through.length > 0}>
              <th scope="row" className={classes.name}>
                {name}
                <span className={classes.description}>{description}</span>
              </th>
              <td className={classes.held}>
                <PrivilegeStatus through={through} />
              </td>
              <td className={classes.through}>
                {through.map((source) => (
                  <div key={formatSource(source)}>{formatSource(source)}</div>
                ))}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function PrivilegeStatus({ through }: { through: PrivilegeSource[] }) {
  if (through.length === 0) return <Status tone="none" label="No" />;
  const isPartial = through.every((source) => source.kind === "role" && source.role.unit !== null);
  return isPartial ? (
    <Status tone="info" label="In some units" />
  ) : (
    <Status tone="done" label="Yes" />
  );
}
