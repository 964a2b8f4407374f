"use client";

import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import type { ApiKeyDetail } from "#app/console/(pages)/api-keys/queries.ts";
import { LOG_LIST } from "#app/console/(pages)/logs/logs.tsx";
import { logsQuery } from "#app/console/(pages)/logs/queries.ts";
import { DataTable } from "#app/console/ui/data-table.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

const SHOWN = 5;
/** `lastUsedAt` is updated only once a minute, so it can be behind. */
const LAST_USED_LAG_MS = 120_000;

export function KeyRequests({ apiKey }: { apiKey: ApiKeyDetail }) {
  const { id: keyId, lastUsedAt: usedAt } = apiKey;
  // Start the search at the last use, since a rarely used key's requests are far back.
  const to = new Date((usedAt ? Date.parse(usedAt) : 0) + LAST_USED_LAG_MS).toISOString();
  const logs = useQuery(logsQuery({}, { apiKey: keyId, to }, "-created", SHOWN));
  return (
    <Panel
      title="Recent requests"
      aside={
        <Anchor component={Link} href={`/console/logs?apiKey=${keyId}`} size="sm">
          View all requests
        </Anchor>
      }
    >
      <QueryView query={logs} noun="the requests" skeleton={<RequestsSkeleton />}>
        {({ data, searchedTo }) =>
          data.length === 0 ? (
            <Text c="dimmed">
              {searchedTo
                ? "No requests with this key among your company’s most recent requests."
                : "No requests in the last 30 days."}
            </Text>
          ) : (
            <DataTable layout={LOG_LIST} rows={data} />
          )
        }
      </QueryView>
    </Panel>
  );
}

function RequestsSkeleton() {
  return (
    <Stack gap="xs">
      <Skeleton height={12} width="60%" />
      <Skeleton height={12} width="40%" />
    </Stack>
  );
}
