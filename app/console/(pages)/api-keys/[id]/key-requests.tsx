"use client";

import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import type { ApiKeyDetail } from "#app/console/(pages)/api-keys/queries.ts";
import { LogList } from "#app/console/(pages)/logs/log-list.tsx";
import { logsQuery } from "#app/console/(pages)/logs/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

const SHOWN = 5;
/** Uses are noted once a minute. */
const NOTED_MS = 120_000;

/** The last requests with a key, and the way to all of them. */
export function KeyRequests({ apiKey }: { apiKey: ApiKeyDetail }) {
  const { id: keyId, last_used_at: usedAt } = apiKey;
  // Looked for from the last use on: a key that is seldom used has its requests far back.
  const to = new Date((usedAt ? Date.parse(usedAt) : 0) + NOTED_MS).toISOString();
  const logs = useQuery(logsQuery({}, { api_key: keyId, to }, SHOWN));
  return (
    <Panel
      title="Last requests"
      aside={
        <Anchor component={Link} href={`/console/logs?api_key=${keyId}`} size="sm">
          All requests
        </Anchor>
      }
    >
      <QueryView query={logs} what="its requests" skeleton={<RequestsSkeleton />}>
        {({ data, searched_to: searchedTo }) =>
          data.length === 0 ? (
            <Text c="dimmed">
              {searchedTo
                ? "None among the newest requests of your company."
                : "None in the last 30 days."}
            </Text>
          ) : (
            <LogList logs={data} />
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
