"use client";

import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import Link from "next/link";

import { pageForPath, statusLabel } from "#app/console/(pages)/logs/log-labels.ts";
import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { CopyableValue, InlineCode } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { typographic } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

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
            <Text size="sm" c="dimmed">
              The response contained details, but Posthouse doesn’t store responses.{" "}
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
  const page = pageForPath(log.path);
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="Method">{log.method}</DescriptionItem>
        <DescriptionItem label="Path">
          <CopyableValue value={log.path} label="path" />
        </DescriptionItem>
        {page && (
          <DescriptionItem label="Resource">
            <Anchor component={Link} href={page.href} inherit underline="always">
              View {page.what}
            </Anchor>
          </DescriptionItem>
        )}
        <DescriptionItem label="API key">
          <KeyLink apiKey={log.apiKey} />
        </DescriptionItem>
        <DescriptionItem label="User agent">{log.userAgent ?? "None"}</DescriptionItem>
        <DescriptionItem label="Time">
          <ExactTime at={log.createdAt} />
        </DescriptionItem>
        <DescriptionItem label="ID">
          <CopyableValue value={log.id} label="ID" />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

function KeyLink({ apiKey }: { apiKey: LogDetail["apiKey"] }) {
  if (apiKey === null) return "Unknown";
  if (apiKey.name === null) return `${apiKey.id} (deleted)`;
  return (
    <Anchor component={Link} href={`/console/api-keys/${apiKey.id}`} inherit underline="always">
      {apiKey.name}
    </Anchor>
  );
}

function LogSkeleton() {
  return (
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
}
