import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { displayName } from "#app/console/(pages)/team/admin-text.ts";
import type { RoleRow } from "#app/console/(pages)/team/role-queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./role-holders.module.css";

export function RoleHolders({ role: { holders } }: { role: RoleRow }) {
  return (
    <Panel title="Assigned to">
      {holders.length === 0 ? (
        <Text c="dimmed">No one yet. Assign this role on an admin’s page or in an invitation.</Text>
      ) : (
        <ul className={classes.holders}>
          {holders.map((admin) => (
            <li key={admin.id}>
              <Anchor component={Link} underline="always" href={`/console/team/${admin.id}`}>
                {displayName(admin)}
              </Anchor>{" "}
              {admin.name && (
                <Text component="span" size="sm" c="dimmed">
                  {admin.email}
                </Text>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
