import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { pluralize } from "#app/console/(pages)/team/admin-text.ts";
import type { AdminDetail } from "#app/console/(pages)/team/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./admin-keys.module.css";

type Key = AdminDetail["keys"][number];

/** The API keys that this person made: they act with this person's rights. */
export function AdminKeys({ person }: { person: AdminDetail }) {
  const { has } = useRights();
  return (
    <Panel title="API keys they made">
      {person.keys.length === 0 ? (
        <Text c="dimmed">None that is active.</Text>
      ) : (
        <>
          <AdminKeyList keys={person.keys} />
          <Text size="sm" c="dimmed" mt="md">
            A key acts with the rights of who made it.{" "}
            {has("api_controls") && (
              <Anchor component={Link} underline="always" href="/console/api-keys">
                All API keys
              </Anchor>
            )}
          </Text>
        </>
      )}
    </Panel>
  );
}

export function AdminKeyList({ keys }: { keys: Key[] }) {
  return (
    <ul className={classes.keys}>
      {keys.map((key) => (
        <li key={key.id} className={classes.key}>
          <span>
            {key.name} <code className={classes.prefix}>{key.prefix}</code>
          </span>
          <span className={classes.use}>
            {key.last_used_at ? (
              <>
                last used <RelativeMoment at={key.last_used_at} />
              </>
            ) : (
              "never used"
            )}
            {key.scheduled_emails > 0 && `, ${pluralize(key.scheduled_emails, "scheduled email")}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
