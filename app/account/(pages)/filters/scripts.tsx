import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { scriptsQuery } from "#app/account/rule-queries.ts";
import { ItemRow, ItemList } from "#app/console/ui/item-list.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

/** What mail apps put there with ManageSieve; it is theirs to change. */
export function Scripts() {
  const scripts = useQuery(scriptsQuery);
  return (
    <Panel title="Scripts of your mail apps">
      <QueryView query={scripts} noun="your scripts" skeleton={<Skeleton height={40} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">None. Mail apps that manage Sieve scripts can add some.</Text>
          ) : (
            <ItemList label="Scripts of your mail apps">
              {data.map(({ name, is_active: isActive }) => (
                <ItemRow
                  key={name}
                  title={name}
                  actions={
                    <Status
                      tone={isActive ? "done" : "none"}
                      label={isActive ? "Active" : "Not active"}
                    />
                  }
                />
              ))}
            </ItemList>
          )
        }
      </QueryView>
      <Text size="sm" c="dimmed" mt="md">
        The active one runs beside the filters above. Change it in the app that made it.
      </Text>
    </Panel>
  );
}
