import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { displayName } from "#app/console/(pages)/team/admin-text.ts";
import type { RoleRow } from "#app/console/(pages)/team/role-queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./role-holders.module.css";

export function RoleHolders({ role: { holders } }: { role: RoleRow }) {
  return (
    <Panel title="Who holds it">
      {holders.length === 0 ? (
        <Text c="dimmed">Nobody yet. Give it on a person&apos;s page, or in an invitation.</Text>
      ) : (
        <ul className={classes.holders}>
          {holders.map((person) => (
            <li key={person.id}>
              <Anchor component={Link} underline="always" href={`/console/team/${person.id}`}>
                {displayName(person)}
              </Anchor>{" "}
              {person.name && (
                <Text component="span" size="sm" c="dimmed">
                  {person.email}
                </Text>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
