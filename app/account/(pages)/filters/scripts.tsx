import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { scriptsQuery } from "#app/account/rule-queries.ts";
import { ItemRow, ItemList } from "#app/console/ui/item-list.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

/** Sieve scripts that mail apps uploaded with ManageSieve; read-only here. */
export function SieveScripts() {
  const scripts = useQuery(scriptsQuery);
  return (
    <Panel title="Scripts from mail apps">
      <QueryView query={scripts} noun="your scripts" skeleton={<Skeleton height={40} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">No scripts. Mail apps with ManageSieve support can add them.</Text>
          ) : (
            <>
              <ItemList label="Scripts from mail apps">
                {data.map(({ name, is_active: isActive }) => (
                  <ItemRow
                    key={name}
                    title={name}
                    actions={
                      <Status
                        tone={isActive ? "done" : "none"}
                        label={isActive ? "Active" : "Inactive"}
                      />
                    }
                  />
                ))}
              </ItemList>
              <Text size="sm" c="dimmed" mt="md">
                The active script runs in addition to the filters above. Edit it in the app that
                created it.
              </Text>
            </>
          )
        }
      </QueryView>
    </Panel>
  );
}
