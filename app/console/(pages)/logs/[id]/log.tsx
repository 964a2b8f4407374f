"use client";

import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import Link from "next/link";

import { pageForPath, statusLabel } from "#app/console/(pages)/logs/log-labels.ts";
import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { CodeBlock, CopyableValue, InlineCode } from "#app/console/ui/code.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { formatBytes, formatLatency, typographic } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { usePrivileges } from "#app/console/session.ts";

type LogDetail = AnswerOf<"logs.get">;

export function Log({ id }: { id: string }) {
  // Never refetched, because log entries don't change.
  const log = useRead("logs.get", { params: { id } }, { staleTime: Infinity });
  return (
    <>
      <Breadcrumbs trail={[{ label: "Logs", href: "/console/logs" }]} />
      <QueryView query={log} noun="this request" skeleton={<LogSkeleton />} titleOrder={1}>
        {(log) => (
          <>
            <PageHeader
              title={`${log.method} ${log.path}`}
              description={<Status {...statusLabel(log.status)} />}
            />
            <Stack gap="md">
              <ErrorExplanation log={log} />
              <LogFacts log={log} />
              {log.method !== "GET" && <RequestBody log={log} />}
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

function ErrorExplanation({ log }: { log: LogDetail }) {
  if (log.error === null) return null;
  return (
    <Panel title="What went wrong">
      <Stack gap="xs">
        {log.message && (
          <Text fw={600} style={{ overflowWrap: "anywhere" }}>
            {log.message}
          </Text>
        )}
        <CopyableValue value={log.error} label="error name" />
        {log.refusal && (
          <>
            <Text>
              <InlineCode text={typographic(log.refusal.meaning)} />
            </Text>
            {log.refusal.remedy && (
              <Text>
                <Text span fw={600}>
                  What to do:{" "}
                </Text>
                {typographic(log.refusal.remedy)}
              </Text>
            )}
            <Text size="sm">
              <Anchor href="/docs" target="_blank" inherit underline="always">
                API reference
              </Anchor>
            </Text>
          </>
        )}
      </Stack>
    </Panel>
  );
}

function LogFacts({ log }: { log: LogDetail }) {
  const { has } = usePrivileges();
  const page = pageForPath(log.path);
  return (
    <Panel title="Details">
      <DescriptionList
        items={{
          Method: log.method,
          Path: <CopyableValue value={log.path} label="path" />,
          Resource: page && has(...page.needs) && (
            <Anchor component={Link} href={page.href} inherit underline="always">
              View {page.what}
            </Anchor>
          ),
          "API key": <KeyLink apiKey={log.apiKey} />,
          "IP address": log.clientAddress ? (
            <CopyableValue value={log.clientAddress} label="IP address" />
          ) : (
            "Unknown"
          ),
          Duration: log.durationMs === null ? "Unknown" : formatLatency(log.durationMs),
          "User agent": log.userAgent ?? "None",
          Time: <ExactTime at={log.createdAt} />,
          ID: <CopyableValue value={log.id} label="ID" />,
        }}
      />
    </Panel>
  );
}

const RequestBody = ({ log }: { log: LogDetail }) => (
  <Panel
    title="Request body"
    aside={
      log.body && (
        <Text size="sm" c="dimmed">
          {formatBytes(log.body.size)}
        </Text>
      )
    }
  >
    <Stack gap="xs">
      {log.body && <CodeBlock code={log.body.text} label="request body" />}
      <Text size="sm" c="dimmed">
        {log.body ? MASKED : NOT_STORED[log.logging]}
      </Text>
    </Stack>
  </Panel>
);

const MASKED =
  "Content and secrets are replaced by their length. Bodies are stored for 24 hours, for the last 100 requests of each key.";

const NOT_STORED = {
  on: "The request has no body, or it was rejected before its body was read, or the body was deleted: Posthouse stores bodies for 24 hours, for the last 100 requests of each key.",
  off_by_company: "Request bodies aren’t logged. You can turn this on under Settings, Access.",
  off_by_operator: "The operator of this server turned off the logging of request bodies.",
  not_shown: "You need the API controls privilege to see request bodies.",
};

function KeyLink({ apiKey }: { apiKey: LogDetail["apiKey"] }) {
  const { has } = usePrivileges();
  if (apiKey === null) return "Unknown";
  if (apiKey.name !== null && !has("api_controls")) return apiKey.name;
  if (apiKey.name === null) return `${apiKey.id} (deleted)`;
  return (
    <Anchor component={Link} href={`/console/api-keys/${apiKey.id}`} inherit underline="always">
      {apiKey.name}
    </Anchor>
  );
}

const LogSkeleton = () => (
  <>
    <Skeleton height={20} width="45%" mt={4} mb={8} />
    <Skeleton height={12} width={80} mb={32} />
    <Panel>
      <Stack gap={20}>
        {[40, 55, 35, 50, 45].map((width) => (
          <Skeleton key={width} height={12} width={`${width}%`} />
        ))}
      </Stack>
    </Panel>
  </>
);
