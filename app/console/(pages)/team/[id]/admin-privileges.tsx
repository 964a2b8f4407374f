import { formatSource } from "#app/console/(pages)/team/admin-text.ts";
import { privilegeText } from "#app/console/(pages)/team/privilege-text.ts";
import type { AdminDetail, PrivilegeSource } from "#app/console/(pages)/team/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./admin-privileges.module.css";

/** Every privilege there is: what it allows, and whether and through what this person holds it. */
export function AdminPrivileges({ person }: { person: AdminDetail }) {
  return (
    <Panel title="What can this person do?">
      <PrivilegeTable label="Every privilege, and what gives it" rights={person.rights} />
    </Panel>
  );
}

type Right = { privilege: string; through: PrivilegeSource[] };

export function PrivilegeTable({ label, rights }: { label: string; rights: Right[] }) {
  return (
    <table className={classes.table} aria-label={label}>
      <tbody>
        {rights.map(({ privilege, through }) => {
          const { name, sentence } = privilegeText(privilege);
          return (
            <tr key={privilege} className={classes.row} data-held={through.length > 0}>
              <th scope="row" className={classes.name}>
                {name}
                <span className={classes.sentence}>{sentence}</span>
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
  if (through.length === 0) return <Status meaning="none" word="No" />;
  const isPartial = through.every((source) => source.kind === "role" && source.role.unit !== null);
  return isPartial ? (
    <Status meaning="informing" word="In part" />
  ) : (
    <Status meaning="done" word="Yes" />
  );
}
