import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { pluralize } from "#app/console/ui/format.ts";
import type { AdminDetail } from "#app/console/(pages)/team/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./admin-keys.module.css";

type Key = AdminDetail["keys"][number];

export function AdminKeys({ admin }: { admin: AdminDetail }) {
  const { has } = usePrivileges();
  return (
    <Panel title="API keys">
      {admin.keys.length === 0 ? (
        <Text c="dimmed">No active API keys.</Text>
      ) : (
        <>
          <AdminKeyList keys={admin.keys} />
          <Text size="sm" c="dimmed" mt="md">
            A key has the privileges of the admin who created it.{" "}
            {has("api_controls") && (
              <Anchor component={Link} underline="always" href="/console/api-keys">
                View all API keys
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
            {key.lastUsedAt ? (
              <>
                Last used <RelativeTime at={key.lastUsedAt} />
              </>
            ) : (
              "Never used"
            )}
            {key.scheduledEmails > 0 && `, ${pluralize(key.scheduledEmails, "scheduled email")}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
